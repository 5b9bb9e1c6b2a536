/** A kept conversation as a chat request, from every dialect. */
import { expect, test } from 'bun:test'
import type { KeptRecord, PartHead } from '#bodies/record'
import { chatFormOf } from './chat-form.ts'

function kept(address: string, body: string | object, head: Partial<PartHead> = {}): KeptRecord {
  const bytes = new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body))
  const part = { border: 'client-request' as const, method: 'POST', address, headers: [], atMs: 0, bytes: bytes.length, ...head }
  return { requestId: 'r', at: 0, userId: 'u', keyId: null, parts: [{ ...part, body: bytes }] }
}
const question = [{ role: 'user', content: 'Hi' }]

test.each([
  ['/v1/chat/completions', { model: 'm', messages: question, temperature: 0.5, odd: 1 }],
  ['/pg/chat/completions', { model: 'm', messages: question, group: 'default' }],
] as const)('%s is what was sent', (address, body) => {
  expect(chatFormOf(kept(address, body))).toEqual({ body, losses: [] })
})

test.each([
  ['/v1/responses', { model: 'm', input: 'Hi', temperature: 0.5 }],
  ['/v1/messages', { model: 'm', max_tokens: 9, messages: question, temperature: 0.5 }],
  ['/v1beta/models/m:generateContent', { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }], generationConfig: { temperature: 0.5 } }],
] as const)('%s is written as chat', (address, body) => {
  const { body: chat, losses } = chatFormOf(kept(address, body)) ?? {}
  expect(chat).toMatchObject({ model: 'm', messages: question, temperature: 0.5 })
  expect(losses).toEqual([])
})

test('what chat cannot express is among the losses; the model of a deployment’s address is the model', () => {
  const asked = { model: 'm', max_tokens: 9, messages: question, top_k: 3 }
  expect(chatFormOf(kept('/v1/messages', asked))?.losses.map(({ field, what }) => [field, what])).toEqual([['sampling.topK', 'dropped']])
  expect(chatFormOf(kept('/openai/deployments/d/chat/completions?api-version=1', { messages: question }))?.body.model).toBe('d')
})

test.each([
  ['no conversation', kept('/v1/embeddings', { model: 'm', input: 'x' })],
  ['no JSON', kept('/v1/chat/completions', '{"model":')],
  ['left out', kept('/v1/chat/completions', {}, { leftOut: true })],
  ['broken off', kept('/v1/chat/completions', {}, { broken: 'client_closed_request' })],
] as const)('%s has no such form', (_, record) => {
  expect(chatFormOf(record)).toBeUndefined()
})
