import { describe, expect, test } from 'bun:test'
import { readCountHead, readHead } from './head.ts'

const base = { model: 'm', messages: [{ role: 'user', content: 'hi' }], max_tokens: 5 }
const head = (fields: Record<string, unknown> = {}) => readHead(JSON.stringify({ ...base, ...fields }))
const refusal = (code: string, param: string) => expect.objectContaining({ code, param, status: 400, blame: 'client' })

test('the least request', () => {
  const raw = '{"model":"a/b","messages":[{"role":"user","content":"日"}],"max_tokens":1}'
  expect(readHead(raw)).toEqual({
    model: 'a/b',
    stream: false,
    n: 1,
    maxOutput: 1,
    inputBytes: raw.length + 2,
    usageAsked: true,
    media: [],
    searchAsked: false,
    affinity: [],
  })
})

describe('SPECIFICATION 2.1: refused, with the name of the field', () => {
  const cases: [param: string, code: string, values: unknown[]][] = [
    ['model', 'missing_field', [undefined]],
    ['model', 'invalid_value', [null, '', 5, [], {}, 'x'.repeat(257), 'a\u0000b', 'a\nb', 'a\u0085', '\ud800']],
    ['messages', 'missing_field', [undefined]],
    ['messages', 'invalid_value', [null, [], {}, 'hi', 0]],
    ['messages[0]', 'invalid_value', [['x'], [null], [[]]].map(([one]) => [one])],
    ['messages[0].role', 'missing_field', [[{ content: 'x' }]]],
    ['messages[0].role', 'invalid_value', [[{ role: 5, content: 'x' }], [{ role: '', content: 'x' }]]],
    ['messages[1].content', 'missing_field', [[base.messages[0], { role: 'user' }]]],
    ['messages[0].content', 'invalid_value', [[{ role: 'user', content: null }], [{ role: 'user', content: 5 }]]],
    ['messages[0].content[0].type', 'missing_field', [[{ role: 'user', content: [{}] }]]],
    ['max_tokens', 'missing_field', [undefined]],
    ['max_tokens', 'invalid_value', [null, 0, -0, -1, 1.5, '5', '', [], {}, true, 1e308, 2 ** 53]],
    ['temperature', 'invalid_value', [-0.1, 1.1, 2, '1', true, [], {}]],
    ['top_p', 'invalid_value', ['1', [], {}]],
    ['top_k', 'invalid_value', [1.5, '1', [], {}]],
    ['stream', 'invalid_value', ['true', 1, 0, {}, []]],
    ['stop_sequences', 'invalid_value', ['x', {}, 5, [5], [null]]],
    ['system', 'invalid_value', [5, {}]],
  ]
  test.each(cases)('%s: %s', (param, code, values) => {
    for (const value of values) expect(() => head({ [param.replace(/\[.*/, '')]: value })).toThrow(refusal(code, param))
  })

  test('numbers that JSON can write and a double cannot hold', () => {
    for (const number of ['1e309', '-1e309', '9007199254740993', '1e21', '-0', '0.0']) {
      const raw = `{"model":"m","messages":[{"role":"user","content":"x"}],"max_tokens":${number}}`
      expect(() => readHead(raw)).toThrow(refusal('invalid_value', 'max_tokens'))
    }
  })

  test('what is no JSON object, or nests too deep', () => {
    for (const raw of ['', '{', '[]', '5', 'null', '{"a":1}}'])
      expect(() => readHead(raw)).toThrow(expect.objectContaining({ status: 400 }))
    const deep = `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":${'['.repeat(70)}${']'.repeat(70)}}]}`
    expect(() => readHead(deep)).toThrow(expect.objectContaining({ code: 'invalid_request' }))
  })

  test('no word of what was received is repeated', () => {
    for (const body of [{ model: 'secret\u0000' }, { temperature: 'secret' }, { messages: [{ role: 'user', content: { secret: 1 } }] }]) {
      try {
        head(body)
        throw new Error('accepted')
      } catch (thrown) {
        expect(JSON.stringify([String(thrown), thrown])).not.toContain('secret')
      }
    }
  })
})

test('null is as good as absent where a field may be', () => {
  const fields = {
    stream: null,
    temperature: null,
    top_p: null,
    top_k: null,
    stop_sequences: null,
    system: null,
    tools: null,
    metadata: null,
  }
  expect(head(fields)).toEqual({ ...head(), inputBytes: expect.any(Number) })
})

test('bounds that hold', () => {
  for (const temperature of [0, 1, 0.5, 1e-300]) expect(head({ temperature }).model).toBe('m')
  expect(head({ max_tokens: Number.MAX_SAFE_INTEGER }).maxOutput).toBe(Number.MAX_SAFE_INTEGER)
})

test('kinds of media, in any message and in results, each once', () => {
  const parts = (...content: unknown[]) => head({ messages: [{ role: 'user', content }] }).media
  const text = [{ type: 'text' }, { type: 'tool_use' }, { type: 'thinking' }, { type: 'web_search_tool_result' }, { type: 'tool_result' }]
  expect(parts(...text)).toEqual([])
  expect(parts({ type: 'image' }, { type: 'image' }, { type: 'document' })).toEqual(['image', 'file'])
  expect(parts({ type: 'tool_result', content: [{ type: 'image' }] })).toEqual(['image'])
  expect(parts({ type: 'document', source: { type: 'content', content: [{ type: 'image' }] } })).toEqual(['file', 'image'])
  for (const type of ['video', '__proto__', 'constructor']) expect(parts({ type })).toEqual(['other'])
})

test('files and containers that the request refers to', () => {
  const file = (file_id: string) => ({ type: 'image', source: { type: 'file', file_id } })
  const content = [file('f1'), { type: 'tool_result', content: [file('f2')] }, { type: 'container_upload', file_id: 'f3' }]
  const refs = head({ messages: [{ role: 'user', content }], container: { id: 'c1', skills: [] } }).stateRefs
  expect(refs).toEqual([
    { kind: 'file', id: 'f1' },
    { kind: 'file', id: 'f2' },
    { kind: 'file', id: 'f3' },
    { kind: 'container', id: 'c1' },
  ])
  expect(head({ container: 'c2' }).stateRefs).toEqual([{ kind: 'container', id: 'c2' }])
  expect(head()).not.toHaveProperty('stateRefs')
})

test('a hosted search, affinity', () => {
  expect(head({ tools: [{ name: 'web_search', input_schema: {} }] }).searchAsked).toBe(false)
  expect(head({ tools: [{ type: 'web_search_20250305', name: 'web_search' }] }).searchAsked).toBe(true)
  expect(head({ metadata: { user_id: 'u' }, container: 'c' }).affinity).toEqual(['c', 'u'])
  expect(head({ metadata: { user_id: 5 } }).affinity).toEqual([])
})

test('counting tokens needs no limit', () => {
  const { max_tokens: _, ...rest } = base
  expect(readCountHead(JSON.stringify(rest))).toMatchObject({ model: 'm', stream: false })
  expect(readCountHead(JSON.stringify(rest))).not.toHaveProperty('maxOutput')
})
