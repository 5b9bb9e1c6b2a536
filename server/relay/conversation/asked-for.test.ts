/** What a client gets of an answer: no reasoning that it did not ask for, and no failure that looks like success. */
import { expect, test } from 'bun:test'
import type { ConversationRequest, Part } from '#canonical/conversation'
import type { ConversationEvent } from '#canonical/conversation-event'
import { conversationCodecs } from '#protocols/index'
import type { Dialect } from '#shared/ids'
import { askedFor } from './asked-for.ts'

const hi = { role: 'user', content: 'hi' }
const read = (dialect: Dialect, fields: object = {}): ConversationRequest => {
  const bodies: Record<Dialect, object> = {
    chat: { model: 'm', messages: [hi] },
    completions: { model: 'm', prompt: 'hi' },
    responses: { model: 'm', input: 'hi' },
    messages: { model: 'm', max_tokens: 9, messages: [hi] },
    gemini: { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
  }
  return conversationCodecs[dialect].readRequest(JSON.stringify({ ...bodies[dialect], ...fields }), 'm:generateContent')
}

const thought: Part = { kind: 'reasoning', form: 'hidden', text: [], opaque: [{ dialect: 'responses', kind: 'encrypted', value: 'x' }] }
const text: Part = { kind: 'text', text: 'Yes.' }
const events: ConversationEvent[] = [
  { kind: 'open', choice: 0, at: 0, part: { kind: 'reasoning', form: 'hidden' } },
  { kind: 'delta', choice: 0, at: 0, delta: { opaque: { dialect: 'responses', kind: 'encrypted', value: 'x' } } },
  { kind: 'close', choice: 0, at: 0 },
  { kind: 'open', choice: 0, at: 1, part: { kind: 'text' } },
]

const shown = (request: ConversationRequest, upstream: Dialect) => {
  const given = askedFor(request, upstream)
  const kinds = given.parts([thought, text]).map(({ kind }) => kind)
  expect(events.flatMap((event) => given.event(event) ?? []).length).toBe(kinds.length === 2 ? 4 : 1)
  return kinds
}

const asking = { generationConfig: { thinkingConfig: { includeThoughts: true } } }

test.each([
  ['messages', {}, ['text']],
  ['messages', { output_config: { effort: 'low' } }, ['text']],
  ['messages', { thinking: { type: 'disabled' } }, ['text']],
  ['messages', { thinking: { type: 'adaptive', display: 'omitted' } }, ['reasoning', 'text']],
  ['gemini', {}, ['text']],
  ['gemini', asking, ['reasoning', 'text']],
  ['chat', {}, ['reasoning', 'text']],
  ['responses', {}, ['reasoning', 'text']],
] as const)('%s %j', (dialect, fields, kinds) => {
  expect(shown(read(dialect, fields), dialect === 'responses' ? 'chat' : 'responses')).toEqual([...kinds])
  expect(shown(read(dialect, fields), dialect)).toEqual(['reasoning', 'text'])
})

test('a tool call that the model could not form is an error where there is no word for it', () => {
  const finish = { reason: 'bad-tool-call', raw: 'MALFORMED_FUNCTION_CALL' } as const
  const failed = (dialect: Dialect) => askedFor(read(dialect), 'gemini').failure(finish)?.code
  expect([failed('chat'), failed('messages'), failed('completions')]).toEqual(['upstream_error', 'upstream_error', 'upstream_error'])
  expect([failed('responses'), failed('gemini')]).toEqual([undefined, undefined])
  const given = askedFor(read('chat'), 'gemini')
  expect(() => given.checked([{ index: 0, parts: [], finish }])).toThrow()
  expect(given.failure({ reason: 'stop', raw: 'STOP' })).toBeUndefined()
})
