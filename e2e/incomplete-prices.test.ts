/** Incomplete prices: no request is served for free by accident, and uses with a complete price are offered. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { sampledEngine } from '#testing/database/database'
import { respondJson } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { type Gateway, startGateway } from './support/gateway.ts'
import { post } from './support/refused.ts'

let gateway: Gateway
let upstream: ScriptedUpstream

beforeAll(async () => {
  upstream = await scriptedUpstream((exchange) =>
    exchange.request.target === '/v1/embeddings'
      ? respondJson(200, {
          ...{ object: 'list', model: 'reader', data: [{ object: 'embedding', index: 0, embedding: [0.5] }] },
          usage: { prompt_tokens: 4, total_tokens: 4 },
        })(exchange)
      : respondJson(200, { id: 'video_1', object: 'video', status: 'queued', model: 'film', created_at: 1, seconds: '4' })(exchange),
  )
  gateway = await startGateway(sampledEngine(import.meta.file))
  await gateway.channel('vendor', upstream.url, {
    vendor: 'openai',
    models: ['reader', 'film'],
    operations: ['generate', 'embed', 'video'],
  })
  await gateway.channel('films', upstream.url, { vendor: 'openai', models: ['sora-2'] })
  await gateway.price('reader', { input: '0.5' })
  await gateway.price('film', { input: '1', output: '2' })
  await gateway.price('sora-2', { input: '1', output: '2' })
}, 90_000)

afterAll(async () => {
  await gateway?.close()
  await upstream?.close()
})

const expectUnknown = async (answer: Response) => {
  expect(answer.status).toBe(404)
  expect(await answer.json()).toMatchObject({ error: { code: 'model_not_found' } })
}

test('input alone: texts are embedded and paid, a conversation is not held', async () => {
  const answer = await post(gateway, '/v1/embeddings', { model: 'reader', input: 'text' })
  expect(answer.status).toBe(200)
  expect((await gateway.log(answer.headers.get('x-request-id') ?? '')).charged).toBe('0.000002')
  await expectUnknown(await post(gateway, '/v1/chat/completions', { model: 'reader', messages: [{ role: 'user', content: 'Hi' }] }))
})

test('a price of tokens: no video for nothing', async () => {
  const before = upstream.requests.length
  for (const model of ['film', 'sora-2']) await expectUnknown(await post(gateway, '/v1/videos', { model, prompt: 'A cat' }))
  await expectUnknown(await post(gateway, '/v1beta/models/sora-2:predictLongRunning', { instances: [{ prompt: 'A cat' }] }).then(asOpenai))
  expect(upstream.requests.length).toBe(before)
})

/** Gemini's envelope names the code elsewhere. */
async function asOpenai(answer: Response): Promise<Response> {
  const { error } = (await answer.json()) as { error: { details: { reason: string }[] } }
  return Response.json({ error: { code: error.details[0]?.reason } }, { status: answer.status })
}

test('only what can be asked is listed', async () => {
  const list = await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${gateway.key}` } })
  const { data } = (await list.json()) as { data: { id: string }[] }
  expect(data.map(({ id }) => id).sort()).toEqual(['film', 'reader'])
})
