import { describe, expect, test } from 'bun:test'
import { readPath } from './path.ts'
import { camel, flagAt, integerAt, numberAt, objectsAt, pathOf, pick, snake, textsAt } from './proto-json.ts'

const node = (body: Record<string, unknown>) => ({ body, path: 'a' })
const refusal = (param: string) => expect.objectContaining({ code: 'invalid_value', status: 400, param })

describe('one field, two spellings', () => {
  test('names', () => {
    expect([snake('maxOutputTokens'), camel('max_output_tokens'), camel('_responseJsonSchema'), camel('x')]).toEqual([
      'max_output_tokens',
      'maxOutputTokens',
      '_responseJsonSchema',
      'x',
    ])
  })

  test('either is read, and named as the caller wrote it', () => {
    expect(pick({ topK: 1 }, 'topK')).toBe(1)
    expect(pick({ top_k: 2, topK: null }, 'topK')).toBe(2)
    expect(pathOf(node({ top_k: 2 }), 'topK')).toBe('a.top_k')
    expect(pathOf(node({}), 'topK')).toBe('a.topK')
    expect(() => integerAt(node({ top_k: 'x' }), 'topK', 0)).toThrow(refusal('a.top_k'))
  })
})

test('numbers may be texts; what is no number is refused', () => {
  expect(integerAt(node({ n: '100' }), 'n', 1)).toBe(100)
  expect(integerAt(node({ n: 5.0 }), 'n', 1)).toBe(5)
  expect(numberAt(node({ n: '0.5' }), 'n', 0, 1)).toBe(0.5)
  expect(integerAt(node({ n: null }), 'n', 1)).toBeUndefined()
  for (const n of ['', ' 1', '0x10', '1e3', 'NaN', 'Infinity', true, [], {}, 1.5, 0, 2 ** 53]) {
    expect(() => integerAt(node({ n }), 'n', 1)).toThrow(refusal('a.n'))
  }
  for (const n of [-0.1, 1.1, 'x', '9'.repeat(400)]) expect(() => numberAt(node({ n }), 'n', 0, 1)).toThrow(refusal('a.n'))
})

test('a lone object is a list of one', () => {
  expect(objectsAt(node({ x: { y: 1 } }), 'x')).toEqual([{ body: { y: 1 }, path: 'a.x' }])
  expect(objectsAt(node({ x: [{}, {}] }), 'x')[1]?.path).toBe('a.x[1]')
  expect(() => objectsAt(node({ x: [{}, 5] }), 'x')).toThrow(refusal('a.x[1]'))
  expect(() => objectsAt(node({ x: 'x' }), 'x')).toThrow(refusal('a.x'))
  expect(textsAt(node({ x: 'one' }), 'x')).toEqual(['one'])
  expect(() => textsAt(node({ x: [1] }), 'x')).toThrow(refusal('a.x'))
  expect(() => flagAt(node({ x: 'true' }), 'x')).toThrow(refusal('a.x'))
})

describe('the last part of a path', () => {
  test('a model and an action', () => {
    expect(readPath('gemini-3-pro:generateContent')).toEqual({ model: 'gemini-3-pro', action: 'generateContent' })
    expect(readPath('models/a/b:c:streamGenerateContent')).toEqual({ model: 'a/b:c', action: 'streamGenerateContent' })
  })

  test('an unknown action is nowhere', () => {
    for (const path of [undefined, '', 'm', 'm:', 'm:predict', 'm:GenerateContent', ':x', 'm:generateContent:x']) {
      expect(() => readPath(path)).toThrow(expect.objectContaining({ code: 'not_found', status: 404 }))
    }
  })

  test('a name that is none', () => {
    for (const name of ['', 'models/', 'a\u0000', 'x'.repeat(257), '\ud800']) {
      expect(() => readPath(`${name}:generateContent`)).toThrow(expect.objectContaining({ code: 'invalid_value', param: 'model' }))
    }
  })
})
