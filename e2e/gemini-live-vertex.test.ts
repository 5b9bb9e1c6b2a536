/** Live sessions in Google's cloud, and for its clients: address, token, the model's full name, and figures under either service's names. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { generateKeyPairSync } from 'node:crypto'
import { GoogleGenAI, type LiveServerMessage, Modality } from '@google/genai'
import { sampledEngine } from '#testing/database/database'
import { onEvent, type RealtimeCall, type RealtimeVendor, realtimeVendor } from '#testing/vendors/realtime-vendor'
import { type Gateway, startGateway } from './support/gateway.ts'

const inBytes = (message: object) => new TextEncoder().encode(JSON.stringify(message))
const details = (text: number, audio: number) => [
  { modality: 'TEXT', tokenCount: text },
  { modality: 'AUDIO', tokenCount: audio },
]
const prompt = { promptTokenCount: 150, totalTokenCount: 200, promptTokensDetails: details(100, 50) }
/** As the reference of each service names them. */
const figures = {
  cloud: { ...prompt, candidatesTokenCount: 50, candidatesTokensDetails: details(10, 40), trafficType: 'ON_DEMAND' },
  api: { ...prompt, responseTokenCount: 50, responseTokensDetails: details(10, 40) },
}
/** Dollars of a turn, at 1 and 2 for text and 4 and 8 for sound. */
const ofTurn = (100 * 1 + 50 * 4 + 10 * 2 + 40 * 8) / 1e6

const live = (usageMetadata: object) => (call: RealtimeCall) =>
  onEvent(call, (event) => {
    if (event.setup) void call.send(inBytes({ setupComplete: { sessionId: 's' } }))
    if (!event.clientContent) return
    void call.send(inBytes({ serverContent: { modelTurn: { role: 'model', parts: [{ text: 'Hello.' }] } } }))
    void call.send(inBytes({ serverContent: { turnComplete: true }, usageMetadata }))
  })

let gateway: Gateway
let cloud: RealtimeVendor
let api: RealtimeVendor
let tokens: ReturnType<typeof Bun.serve>
const grants: string[] = []
beforeAll(async () => {
  cloud = realtimeVendor(live(figures.cloud))
  api = realtimeVendor(live(figures.api))
  tokens = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      grants.push(await request.text())
      return Response.json({ access_token: 'ya29.token', expires_in: 3600, token_type: 'Bearer' })
    },
  })
  gateway = await startGateway(sampledEngine(import.meta.file), { env: { PARLEY_DEMO: 'off' } })
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  const account = { client_email: 'parley@acme.example', private_key: privateKey, token_uri: `http://127.0.0.1:${tokens.port}/token` }
  await gateway.channel('vertex', cloud.url, {
    ...{ vendor: 'vertex', keys: [JSON.stringify(account)], options: { project: 'acme', region: 'europe-west4' } },
    models: [{ name: 'in-cloud', upstream: 'gemini-live-2.5-flash' }],
  })
  await gateway.channel('gemini', api.url, { vendor: 'gemini', models: [{ name: 'at-api', upstream: 'gemini-live-2.5-flash-preview' }] })
  for (const name of ['in-cloud', 'at-api']) await gateway.price(name, { input: '1', output: '2', audioIn: '4', audioOut: '8' })
}, 90_000)
afterAll(async () => {
  await gateway?.close()
  await Promise.all([cloud?.close(), api?.close(), tokens?.stop(true)])
})

/** One turn with the SDK in this mode; resolves to what it read. */
async function turn(vertexai: boolean, apiKey: string, model: string): Promise<LiveServerMessage[]> {
  const heard: LiveServerMessage[] = []
  const over = Promise.withResolvers<void>()
  const client = new GoogleGenAI({ ...(vertexai && { vertexai }), apiKey, httpOptions: { baseUrl: gateway.url } })
  const session = await client.live.connect({
    model,
    config: { responseModalities: [Modality.TEXT] },
    callbacks: {
      onmessage(message) {
        heard.push(message)
        if (message.serverContent?.turnComplete) over.resolve()
      },
      onclose: ({ reason }) => over.reject(new Error(reason)),
    },
  })
  session.sendClientContent({ turns: 'Hello' })
  await over.promise
  session.close()
  return heard
}

test.each([
  [false, 'in-cloud'],
  [true, 'in-cloud'],
  [false, 'at-api'],
  [true, 'at-api'],
])(
  'the SDK (of the cloud: %p) reads what a session of %s used, and pays for it',
  async (vertexai, model) => {
    const { key, session } = await gateway.user(`user of ${model} ${vertexai}`, '5')
    const vendor = model === 'in-cloud' ? cloud : api
    const number = vendor.calls.length
    const heard = await turn(vertexai, key, model)
    const call = await vendor.call(number)
    const setup = JSON.parse(String(call.frames[0]))
    if (model === 'in-cloud') {
      expect(call.target).toBe('/ws/google.cloud.aiplatform.v1.LlmBidiService/BidiGenerateContent')
      expect(call.headers.get('authorization')).toBe('Bearer ya29.token')
      expect(call.headers.get('x-goog-api-key')).toBeNull()
      expect(setup.setup.model).toBe('projects/acme/locations/europe-west4/publishers/google/models/gemini-live-2.5-flash')
      expect(grants[0]).toContain('jwt-bearer')
    } else {
      expect(call.target).toBe('/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent')
      expect(setup.setup.model).toBe('models/gemini-live-2.5-flash-preview')
    }
    expect(heard.at(-1)?.usageMetadata).toMatchObject({
      ...{ promptTokenCount: 150, responseTokenCount: 50, totalTokenCount: 200 },
      responseTokensDetails: details(10, 40),
    })
    for (;;) {
      const { data } = await session.call<{ data: { charged: string; provenance: string }[] }>('GET', '/api/logs')
      if (!data[0]) continue
      expect(data[0]).toMatchObject({ operation: 'realtime', dialect: 'gemini', model, end: 'complete', provenance: 'provider' })
      expect(Number(data[0].charged)).toBeCloseTo(ofTurn, 9)
      return
    }
  },
  20_000,
)

test('no other service of the cloud is served', async () => {
  const address = `${gateway.url}/ws/google.cloud.aiplatform.v1.LlmUtilityService/CountTokens?key=${gateway.key}`
  const answer = await fetch(address)
  expect(answer.status).toBe(400)
  expect(await answer.json()).toMatchObject({
    error: { status: 'INVALID_ARGUMENT', message: expect.stringContaining('BidiGenerateContent') },
  })
})
