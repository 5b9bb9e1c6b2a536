/** What must mean the same on both sides of a conversion: enforced schemas, model facts, finish reasons, figures. */
import { expect, test } from 'bun:test'
import type { Dialect } from '#shared/ids'
import { noMemo, readBody, testPen } from '#testing/conversions/codec-runs'
import { conversationCodecs } from './index.ts'

const hi = { role: 'user', content: 'hi' }
const sent = (to: Dialect, from: Dialect, body: unknown, capabilities = {}) =>
  conversationCodecs[to].writeRequest(readBody(conversationCodecs[from], body), { model: 'm', capabilities, stream: false })

const person = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'], additionalProperties: false }
const inMessages = (schema: object) => ({
  model: 'm',
  max_tokens: 99,
  messages: [hi],
  output_config: { format: { type: 'json_schema', schema } },
})
const inGemini = (responseJsonSchema: object) => ({
  contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
  generationConfig: { responseMimeType: 'application/json', responseJsonSchema },
})

test('a schema that is always enforced in its own dialect is strict wherever it fits, and reported where it does not', () => {
  const loose = { ...person, required: [] }
  for (const [from, body] of [
    ['messages', inMessages],
    ['gemini', inGemini],
  ] as const) {
    const strict = { strict: true, schema: person }
    expect(sent('responses', from, body(person))).toMatchObject({ body: { text: { format: strict } }, losses: [] })
    expect(sent('chat', from, body(person))).toMatchObject({ body: { response_format: { json_schema: strict } }, losses: [] })
    const reported = { losses: [{ field: 'output.format.strict', what: 'adapted' }] }
    expect(sent('responses', from, body(loose))).toMatchObject({ body: { text: { format: { strict: false } } }, ...reported })
    expect(sent('chat', from, body(loose))).toMatchObject(reported)
    expect(sent('chat', from, body(loose)).body.response_format).not.toHaveProperty('json_schema.strict')
  }
})

test('a model that does not reason is asked for no effort in Chat', () => {
  const facts = { reasoningRefused: true }
  const { body, losses } = sent('chat', 'responses', { model: 'm', input: 'hi', reasoning: { effort: 'high' } }, facts)
  expect([body.reasoning_effort, losses.map(({ field }) => field)]).toEqual([undefined, ['reasoning']])
  expect(sent('chat', 'responses', { model: 'm', input: 'hi', reasoning: { effort: 'none' } }, facts).losses).toEqual([])
})

const chat = (message: object, finish_reason: string, usage: object = { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 }) =>
  conversationCodecs.chat.readResponse(
    JSON.stringify({ id: 'c', model: 'm', choices: [{ index: 0, message, finish_reason }], usage }),
    noMemo,
    testPen(),
  )

test('a full context, a filter and a failure are no complete answers', () => {
  for (const raw of ['model_length', 'model_context_window_exceeded'])
    expect(chat({ content: 'x' }, raw).choices[0]?.finish).toEqual({ reason: 'context-full', raw })
  expect(chat({ content: 'x' }, 'sensitive').choices[0]?.finish).toEqual({ reason: 'content-filter', raw: 'sensitive' })
  for (const raw of ['error', 'insufficient_system_resource', 'abort', 'network_error']) {
    expect(() => chat({ content: 'x' }, raw)).toThrow(expect.objectContaining({ code: 'upstream_error' }))
  }
})

test('tokens from a cache are found where Kimi reports them', () => {
  const { usage } = chat({ content: 'x' }, 'stop', { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11, cached_tokens: 7 })
  expect([usage.in.fresh, usage.in.cacheRead]).toEqual([3, 7])
})

test('stop sequences that an upstream does not take are kept by cutting its answer here', () => {
  const stops = ['1', '2', '3', '4', '5', '6']
  const asked = { model: 'm', max_tokens: 99, messages: [hi], stop_sequences: stops }
  const reported = (to: Dialect) => {
    const { body, memo, losses } = sent(to, 'messages', asked)
    const { generationConfig } = body as { generationConfig?: { stopSequences?: string[] } }
    return [body.stop ?? generationConfig?.stopSequences, memo.stopHere, losses]
  }
  expect(reported('responses')).toEqual([undefined, stops, []])
  expect(reported('chat')).toEqual([stops.slice(0, 4), stops.slice(4), []])
  expect(reported('gemini')).toEqual([stops.slice(0, 5), stops.slice(5), []])
})
