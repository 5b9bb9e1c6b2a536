import { describe, expect, test } from 'bun:test'
import { readHead } from './head.ts'

const head = (fields: Record<string, unknown> = {}) => readHead(JSON.stringify({ model: 'm', input: 'x', ...fields }))
const refused = (fields: Record<string, unknown>) => {
  try {
    return head(fields)
  } catch (error) {
    return error
  }
}

test('an ordinary request', () => {
  expect(head({ stream: true, max_output_tokens: 9 })).toEqual({
    model: 'm',
    stream: true,
    n: 1,
    maxOutput: 9,
    inputBytes: 61,
    usageAsked: true,
    media: [],
    searchAsked: false,
    affinity: [],
    stateRefs: [],
  })
})

test('unknown fields, items, parts and tools pass; null is absent', () => {
  const odd = { type: 'new_item', x: [1] }
  expect(head({ input: [odd, 5, null], tools: [odd], x: {}, stream: null, max_output_tokens: null })).toMatchObject({ stream: false })
})

test('media by kind, in messages and in results', () => {
  const part = (type: string) => ({ type })
  const input = [
    { role: 'user', content: [part('input_text'), part('input_image'), part('input_file')] },
    { type: 'function_call_output', call_id: 'c', output: [part('input_audio'), part('brand_new')] },
    { type: 'message', role: 'assistant', content: [part('output_text'), part('refusal')] },
  ]
  expect(head({ input }).media.sort()).toEqual(['audio', 'file', 'image', 'other'])
})

test('a hosted search is seen, other tools are not', () => {
  expect(head({ tools: [{ type: 'web_search_preview_2025_03_11' }] }).searchAsked).toBe(true)
  expect(head({ tools: [{ type: 'function' }, { type: 'namespace', tools: [{ type: 'web_search' }] }, 7] }).searchAsked).toBe(false)
})

test('affinity, best first; what is no name is not used', () => {
  const fields = { metadata: { user_id: 'd' }, user: 'c', safety_identifier: 'b', prompt_cache_key: 'a' }
  expect(head(fields).affinity).toEqual(['a', 'b', 'c', 'd'])
  expect(head({ user: 5, prompt_cache_key: 'x'.repeat(513), safety_identifier: '' }).affinity).toEqual([])
})

test('every reference to state is listed once', () => {
  const input = [
    { type: 'item_reference', id: 'msg_1' },
    { id: 'rs_1' },
    { id: 'rs_1', type: null },
    { id: 'msg_9', role: 'user', content: [{ type: 'input_image', file_id: 'file_1' }] },
    { type: 'custom_tool_call_output', output: [{ type: 'input_file', file_id: 'file_2' }] },
    { type: 'computer_call_output', output: { type: 'computer_screenshot', file_id: 'file_3' } },
    { type: 'reasoning', id: 'rs_2' },
  ]
  const fields = { previous_response_id: 'resp_1', conversation: { id: 'conv_1' }, prompt: { id: 'pmpt_1' } }
  expect(head({ ...fields, input }).stateRefs?.map(({ kind, id }) => `${kind} ${id}`)).toEqual([
    'response resp_1',
    'conversation conv_1',
    'prompt pmpt_1',
    'item msg_1',
    'item rs_1',
    'file file_1',
    'file file_2',
    'file file_3',
  ])
  expect(head({ conversation: 'conv_2', prompt_cache_options: { comparison_response_id: 'resp_2' } }).stateRefs).toEqual([
    { kind: 'response', id: 'resp_2' },
    { kind: 'conversation', id: 'conv_2' },
  ])
})

describe('what Parley reads must be right', () => {
  test.each([
    [{ model: undefined }, 'missing_field', 'model'],
    [{ model: 'a\u0000b' }, 'invalid_value', 'model'],
    [{ input: undefined }, 'missing_field', 'input'],
    [{ input: {} }, 'invalid_value', 'input'],
    [{ stream: 'yes' }, 'invalid_value', 'stream'],
    [{ max_output_tokens: 0 }, 'invalid_value', 'max_output_tokens'],
    [{ max_output_tokens: '9' }, 'invalid_value', 'max_output_tokens'],
  ])('%j', (fields, code, param) => {
    expect(refused(fields)).toMatchObject({ code, param, status: 400 })
  })

  test('input may be missing where something else says what to answer', () => {
    for (const state of [{ previous_response_id: 'r' }, { conversation: 'c' }, { prompt: { id: 'p' } }]) {
      expect(head({ input: undefined, ...state }).model).toBe('m')
    }
  })

  test('no object, no JSON, too deep', () => {
    for (const raw of ['[]', '{', `{"input":${'['.repeat(70)}${']'.repeat(70)}}`]) expect(() => readHead(raw)).toThrow()
  })
})
