/** A vendor that refuses fields which others take: its row names them, they are taken out, and what else it spells otherwise is written so. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { sampledEngine } from '#testing/database/database'
import { respondJson } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { type Gateway, startGateway } from './support/gateway.ts'

let upstream: ScriptedUpstream
let gateway: Gateway

beforeAll(async () => {
  upstream = await scriptedUpstream()
  gateway = await startGateway(sampledEngine(import.meta.file))
  await gateway.channel('mistral', upstream.url, { vendor: 'mistral', models: ['mistral-large', 'mistral-embed'] })
  for (const model of ['mistral-large', 'mistral-embed']) await gateway.price(model)
}, 90_000)

afterAll(async () => {
  await gateway?.close()
  await upstream?.close()
})

type Json = Record<string, unknown>
const call = (path: string, body: object) =>
  fetch(gateway.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
const answer = respondJson(200, {
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'mistral-large',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Yes.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 },
})
const hi = { role: 'user', content: 'hi' }
const sent = () => upstream.requests.at(-1)?.json() as Json

// 422 extra_forbidden: github.com/Gitlawb/openclaude/issues/739.
test('fields that it forbids are taken out and told; fields that nobody knows pass', async () => {
  upstream.next(answer)
  const body = { model: 'mistral-large', messages: [hi], safety_identifier: 'u', service_tier: 'auto', verbosity: 'low', safe_prompt: true }
  const reply = await call('/v1/chat/completions', body)
  expect([reply.status, sent()]).toEqual([200, { model: 'mistral-large', messages: [hi], safe_prompt: true }])
  for (const field of ['safety_identifier', 'service_tier', 'verbosity']) expect(reply.headers.get('x-parley-losses')).toContain(field)
})

// 400, code 3280: github.com/nearai/ironclaw/issues/1241.
test('ids of calls from elsewhere become nine letters and digits, the same for a call and its result', async () => {
  upstream.next(answer)
  const called = (id: string) => ({ id, type: 'function', function: { name: 'look', arguments: '{}' } })
  const messages = [
    hi,
    { role: 'assistant', content: null, tool_calls: [called('toolu_01A09q'), called('abcDEF123')] },
    { role: 'tool', tool_call_id: 'toolu_01A09q', content: 'a' },
    { role: 'tool', tool_call_id: 'abcDEF123', content: 'b' },
  ]
  const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } }]
  expect((await call('/v1/chat/completions', { model: 'mistral-large', messages, tools, max_completion_tokens: 9 })).status).toBe(200)
  const turns = sent().messages as { tool_calls?: { id: string }[]; tool_call_id?: string }[]
  const ids = turns.flatMap(({ tool_calls: calls, tool_call_id: id }) => [...(calls ?? []).map((one) => one.id), ...(id ? [id] : [])])
  expect(ids).toEqual([expect.stringMatching(/^[A-Za-z0-9]{9}$/), 'abcDEF123', ids[0], 'abcDEF123'])
  expect([sent().max_tokens, sent().max_completion_tokens]).toEqual([9, undefined])
})

test('what it serves besides needs no word of the channel', async () => {
  upstream.next(
    respondJson(200, {
      object: 'list',
      data: [{ object: 'embedding', index: 0, embedding: [0.5] }],
      model: 'mistral-embed',
      usage: { prompt_tokens: 1, total_tokens: 1 },
    }),
  )
  expect((await call('/v1/embeddings', { model: 'mistral-embed', input: 'x', encoding_format: 'float' })).status).toBe(200)
  expect(upstream.requests.at(-1)?.target).toBe('/v1/embeddings')
})
