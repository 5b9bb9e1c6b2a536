/** Pictures of Replicate behind OpenAI's endpoint. The answer is that of github vercel/ai packages/replicate/src/replicate-image-model.test.ts. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { sampledEngine } from '#testing/database/database'
import { respondJson } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { type Gateway, startGateway } from './support/gateway.ts'

const model = 'black-forest-labs/flux-schnell'
const url = 'https://replicate.delivery/xezq/abc/out-0.webp'
const prediction = {
  id: 's7x1e3dcmhrmc0cm8rbatcneec',
  model,
  version: 'dp-4d0bcc010b3049749a251855f12800be',
  input: { num_outputs: 1, prompt: 'The Loch Ness Monster getting a manicure' },
  logs: '',
  output: [url],
  data_removed: false,
  error: null,
  status: 'processing',
  created_at: '2025-01-08T13:24:38.692Z',
  urls: { get: 'https://api.replicate.com/v1/predictions/s7x1e3dcmhrmc0cm8rbatcneec' },
}
let upstream: ScriptedUpstream
let gateway: Gateway

beforeAll(async () => {
  upstream = await scriptedUpstream(respondJson(201, prediction))
  gateway = await startGateway(sampledEngine(import.meta.file))
  await gateway.channel('replicate', upstream.url, { vendor: 'replicate', models: [model], keys: ['r8_key'] })
  await gateway.price(model, { image: '0.003' })
}, 90_000)
afterAll(async () => {
  await gateway?.close()
  await upstream?.close()
})

test('a picture is a prediction that waits, and is paid for as one picture', async () => {
  const client = new OpenAI({ apiKey: gateway.key, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
  const { data, response } = await client.images
    .generate({ model, prompt: 'The Loch Ness Monster getting a manicure', response_format: 'url' })
    .withResponse()
  expect(data.data).toEqual([{ url }])
  const [request] = upstream.requests
  expect(request?.target).toBe('/v1/models/black-forest-labs/flux-schnell/predictions')
  expect([request?.header('authorization'), request?.header('prefer'), request?.header('cancel-after')]).toEqual([
    'Bearer r8_key',
    'wait=60',
    '60s',
  ])
  expect(await gateway.log(response.headers.get('x-request-id') ?? '')).toMatchObject({ cost: '0.003', losses: [] })
})
