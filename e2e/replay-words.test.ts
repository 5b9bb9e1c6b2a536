/** Replays of requests in formats without channels: Ollama's, Bedrock's Converse, Gemini's interactions, whole and streamed. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { ReplayComparison, ReplayDetail, ReplayRow } from '#shared/console/replay'
import { sampledEngine } from '#testing/database/database'
import { wait } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { chatVendor } from '#testing/vendors/chat-vendor'
import { type Gateway, startGateway } from './support/gateway.ts'

const usage = { prompt_tokens: 1000, completion_tokens: 500 }
const texts: Record<string, string> = { 'gpt-one': 'It is Wednesday.', 'gpt-two': 'It is Thursday.' }
const vendor = chatVendor({
  models: Object.keys(texts),
  reply: ({ model }) => ({ text: [texts[model] ?? ''], finish: 'stop', usage }),
})
let gateway: Gateway
let upstream: ScriptedUpstream

beforeAll(async () => {
  upstream = await scriptedUpstream(vendor)
  gateway = await startGateway(sampledEngine(import.meta.file))
  await gateway.channel('only', `${upstream.url}/v1`, { models: Object.keys(texts) })
  for (const model of Object.keys(texts)) await gateway.price(model, { input: '1', output: '2' })
  await gateway.admin.call('PATCH', '/api/settings', { bodies: { keep: true } })
}, 90_000)
afterAll(async () => {
  await gateway?.close()
  await upstream?.close()
})

const messages = [{ role: 'user', content: 'Which day?' }]
const turns = { messages: [{ role: 'user', content: [{ text: 'Which day?' }] }], inferenceConfig: { maxTokens: 200 } }
const model = 'gpt-one'
const asked: [string, object, object][] = [
  ['/ollama/api/chat', { model, messages, stream: false }, { set: { options: { temperature: 0.5 } } }],
  ['/ollama/api/chat', { model, messages }, {}],
  ['/ollama/api/generate', { model, prompt: 'Which day?', stream: false }, {}],
  [`/model/${model}/converse`, turns, {}],
  [`/model/${model}/converse-stream`, turns, {}],
  ['/v1beta/interactions', { model, input: 'Which day?' }, {}],
  ['/v1/interactions', { model, input: 'Which day?', stream: true }, {}],
]

test.each(asked)('%s with %j is asked again of the same and of another model', async (path, body, more) => {
  const headers = { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' }
  const answer = await fetch(gateway.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  await answer.arrayBuffer()
  expect(answer.status).toBe(200)
  const id = answer.headers.get('x-request-id') ?? ''
  await gateway.log(id)
  const { id: job } = await gateway.admin.call<ReplayRow>('POST', '/api/replays', {
    requestIds: [id],
    targets: [{}, { model: 'gpt-two' }, { ...more, sameChannel: true }],
  })
  const told = () => gateway.admin.call<ReplayDetail>('GET', `/api/replays/${job}`)
  for (let tries = 0; tries < 200 && (await told()).state === 'running'; tries++) await wait(50)
  const { results, charged } = await told()
  expect(results.map(({ state, exact, result }) => [state, exact, result?.model])).toEqual([
    ['done', true, model],
    ['done', false, 'gpt-two'],
    ['done', !('set' in more), model],
  ])
  expect(charged).toBe('0.006')
  const both = await gateway.admin.call<ReplayComparison>('GET', `/api/replays/${job}/items/1`)
  expect(both.originalAnswer).toEqual({ text: 'It is Wednesday.', calls: [], finish: 'stop', error: null })
  expect(both.replayAnswer).toEqual({ text: 'It is Thursday.', calls: [], finish: 'stop', error: null })
  if ('set' in more)
    expect(upstream.requests.some((request) => (request.json() as { temperature?: number }).temperature === 0.5)).toBe(true)
  const example = await gateway.admin.raw('GET', `/api/bodies/${id}?as=chat`)
  expect([example.status, JSON.stringify(((await example.json()) as { chat?: object }).chat)]).toEqual([
    200,
    expect.stringContaining('Which day?'),
  ])
})
