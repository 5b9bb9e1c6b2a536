import { describe, expect, test } from 'bun:test'
import { readBody } from '#protocols/codec/fields'
import { readPath } from './path.ts'
import { camel, pick, protoRules, snake } from './proto-json.ts'

const node = (body: Record<string, unknown>) => readBody<Record<string, unknown>>(body, protoRules, 'a').fields
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
    expect(node({ top_k: 2 }).pathOf('topK')).toBe('a.top_k')
    expect(node({}).pathOf('topK')).toBe('a.topK')
    expect(() => node({ top_k: 'x' }).integer('topK', 0)).toThrow(refusal('a.top_k'))
  })
})

test('numbers may be texts; what is no number is refused', () => {
  expect(node({ n: '100' }).integer('n', 1)).toBe(100)
  expect(node({ n: 5.0 }).integer('n', 1)).toBe(5)
  expect(node({ n: '0.5' }).number('n', 0, 1)).toBe(0.5)
  expect(node({ n: null }).integer('n', 1)).toBeUndefined()
  for (const n of ['', ' 1', '0x10', '1e3', 'NaN', 'Infinity', true, [], {}, 1.5, 0, 2 ** 53]) {
    expect(() => node({ n }).integer('n', 1)).toThrow(refusal('a.n'))
  }
  for (const n of [-0.1, 1.1, 'x', '9'.repeat(400)]) expect(() => node({ n }).number('n', 0, 1)).toThrow(refusal('a.n'))
})

test('a lone object is a list of one', () => {
  expect(node({ x: { y: 1 } }).objects('x')).toMatchObject([{ path: 'a.x' }])
  expect(
    node({ x: { y: 1 } })
      .objects('x')[0]
      ?.whole(),
  ).toEqual({ y: 1 })
  expect(node({ x: [{}, {}] }).objects('x')[1]?.path).toBe('a.x[1]')
  expect(() => node({ x: [{}, 5] }).objects('x')).toThrow(refusal('a.x[1]'))
  expect(() => node({ x: 'x' }).objects('x')).toThrow(refusal('a.x'))
  expect(node({ x: 'one' }).texts('x')).toEqual(['one'])
  expect(() => node({ x: [1] }).texts('x')).toThrow(refusal('a.x'))
  expect(() => node({ x: 'true' }).flag('x')).toThrow(refusal('a.x'))
})

describe('the last part of a path', () => {
  test('a model and an action', () => {
    expect(readPath('gemini-3-pro:generateContent')).toEqual({ model: 'gemini-3-pro', action: 'generateContent' })
    expect(readPath('models/a/b:c:streamGenerateContent')).toEqual({ model: 'a/b:c', action: 'streamGenerateContent' })
  })

  test('an unknown action is nowhere', () => {
    for (const path of [undefined, '', 'm', 'm:', 'm:constructor', 'm:GenerateContent', ':x', 'm:generateContent:x']) {
      expect(() => readPath(path)).toThrow(expect.objectContaining({ code: 'not_found', status: 404 }))
    }
  })

  test('the error for a known action that is not served names an alternative', () => {
    expect(() => readPath('m:generateAnswer')).toThrow(expect.objectContaining({ code: 'unsupported_here', status: 400 }))
  })

  test('a name that is none', () => {
    for (const name of ['', 'models/', 'a\u0000', 'x'.repeat(257), '\ud800']) {
      expect(() => readPath(`${name}:generateContent`)).toThrow(expect.objectContaining({ code: 'invalid_value', param: 'model' }))
    }
  })
})
