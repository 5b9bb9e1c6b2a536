import { describe, expect, test } from 'bun:test'
import { readHead } from './head.ts'

const messages = [{ role: 'user', content: 'hi' }]
const head = (fields: Record<string, unknown> = {}) => readHead(JSON.stringify({ model: 'm', messages, ...fields }))
const refusal = (code: string, param: string) => expect.objectContaining({ code, param, status: 400, blame: 'client' })

test('the least request', () => {
  const raw = '{"model":"a/b","messages":[{}]}'
  expect(readHead(raw)).toEqual({
    model: 'a/b',
    stream: false,
    n: 1,
    inputBytes: raw.length,
    usageAsked: false,
    media: [],
    searchAsked: false,
    affinity: [],
  })
})

test('input is counted in bytes', () => {
  const raw = '{"model":"m","messages":["日"]}'
  expect(readHead(raw).inputBytes).toBe(raw.length + 2)
})

describe('refused, with the name of the field', () => {
  const cases: [param: string, code: string, values: unknown[]][] = [
    ['model', 'missing_field', [undefined, null]],
    ['model', 'invalid_value', ['', 5, [], {}, 'x'.repeat(257), 'a\u0000b', 'a\nb', 'a\u0085', '\ud800']],
    ['messages', 'missing_field', [undefined, null]],
    ['messages', 'invalid_value', [[], {}, 'hi', 0]],
    ['stream', 'invalid_value', ['true', 1, 0, {}, []]],
    ['n', 'invalid_value', [0, -1, 129, 1.5, '1', [], {}, true, 1e308]],
    ['max_tokens', 'invalid_value', [0, -1, 1.5, '5', '', [], {}, 1e308, 2 ** 53, 2 ** 63]],
    ['max_completion_tokens', 'invalid_value', [0, -0, -5, '', '5', false]],
  ]
  test.each(cases)('%s: %s', (param, code, values) => {
    for (const value of values) expect(() => head({ [param]: value })).toThrow(refusal(code, param))
  })

  test('numbers that JSON can write and a double cannot hold', () => {
    for (const number of ['1e309', '-1e309', '9007199254740993', '1e21', '-0', '0.0']) {
      expect(() => readHead(`{"model":"m","messages":[1],"max_tokens":${number}}`)).toThrow(refusal('invalid_value', 'max_tokens'))
    }
  })
})

test('null is as good as absent', () => {
  const fields = {
    stream: null,
    n: null,
    max_tokens: null,
    max_completion_tokens: null,
    stream_options: null,
    tools: null,
    web_search_options: null,
  }
  expect(head(fields)).toMatchObject({ stream: false, n: 1, usageAsked: false, searchAsked: false })
  expect(head(fields)).not.toHaveProperty('maxOutput')
})

test('the larger of two limits holds', () => {
  expect(head({ max_tokens: 10, max_completion_tokens: 20 }).maxOutput).toBe(20)
  expect(head({ max_tokens: 30, max_completion_tokens: null }).maxOutput).toBe(30)
})

test('stream, n, usage and group', () => {
  const fields = { stream: true, n: 128, stream_options: { include_usage: true }, group: 'vip' }
  expect(head(fields)).toMatchObject({ stream: true, n: 128, usageAsked: true, group: 'vip' })
  for (const options of ['x', [], 5, { include_usage: 'true' }]) expect(head({ stream_options: options }).usageAsked).toBe(false)
  expect(head({ group: 5 })).toHaveProperty('group', 5)
})

test('kinds of media, in any message, each once', () => {
  const parts = (...types: unknown[]) => ({ role: 'user', content: types.map((type) => ({ type })) })
  expect(head({ messages: [parts('text', 'refusal')] }).media).toEqual([])
  expect(head({ messages: [parts('image_url', 'text', 'image_url'), parts('input_audio', 'file')] }).media).toEqual([
    'image',
    'audio',
    'file',
  ])
  for (const odd of ['video_url', 5, undefined, '__proto__', 'constructor'])
    expect(head({ messages: [parts(odd)] }).media).toEqual(['other'])
  expect(head({ messages: [{ role: 'assistant', audio: { id: 'a' } }] }).media).toEqual(['audio'])
  expect(head({ messages: ['x', null, [], { content: 'x' }, { content: [null, 'x', 5] }] }).media).toEqual([])
})

test('a hosted search', () => {
  expect(head({ web_search_options: {} }).searchAsked).toBe(true)
  expect(head({ tools: [{ type: 'function', function: {} }, { type: 'custom' }] }).searchAsked).toBe(false)
  expect(head({ tools: [{ type: 'function' }, { type: 'web_search' }] }).searchAsked).toBe(true)
  expect(head({ tools: [{ google_search: {} }] }).searchAsked).toBe(true)
  expect(head({ tools: 'x' }).searchAsked).toBe(false)
})

test('affinity, best first, only strings', () => {
  expect(head({ user: 'u', metadata: { user_id: 'i' }, prompt_cache_key: 'k' }).affinity).toEqual(['k', 'u', 'i'])
  expect(head({ user: 5, metadata: 'x', prompt_cache_key: '' }).affinity).toEqual([])
})

test('unknown fields and kinds pass', () => {
  const fields = { temperature: 'warm', logit_bias: [], seed: -0.5, tool_choice: { type: 'later' }, brand_new: { deep: [{}] } }
  expect(head(fields).model).toBe('m')
})

test('files that live in one upstream account are named', () => {
  const file = (file_id: unknown) => ({ type: 'file', file: { file_id } })
  const content = [file('file-1'), file('file-2'), file('file-1'), file(5), file(''), { type: 'file', file: { file_data: 'x' } }, null]
  const raw = JSON.stringify({ model: 'm', messages: [{ role: 'user', content }, { role: 'user', content: 'x' }, 5] })
  expect(readHead(raw).stateRefs).toEqual([
    { kind: 'file', id: 'file-1' },
    { kind: 'file', id: 'file-2' },
  ])
  expect(readHead('{"model":"m","messages":[{"role":"user","content":"x"}]}').stateRefs).toBeUndefined()
})
