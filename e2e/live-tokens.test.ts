/** Short-lived keys of Gemini's live sessions, as Google's SDK requests them: what they allow, how often, how long, with which settings. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type CreateAuthTokenConfig, GoogleGenAI, type LiveServerMessage, Modality, type Session } from '@google/genai'
import { sampledEngine } from '#testing/database/database'
import { onEvent, type RealtimeVendor, realtimeVendor } from '#testing/vendors/realtime-vendor'
import { type Gateway, startGateway } from './support/gateway.ts'
import { rawUpgrade } from './support/realtime/client.ts'

const model = 'gemini-live'
const inBytes = (message: object) => new TextEncoder().encode(JSON.stringify(message))
const usageMetadata = { promptTokenCount: 100, responseTokenCount: 50, totalTokenCount: 150 }

let gateway: Gateway
let vendor: RealtimeVendor
beforeAll(async () => {
  vendor = realtimeVendor((call) =>
    onEvent(call, (event) => {
      if (event.setup) void call.send(inBytes({ setupComplete: {} }))
      if (!event.clientContent) return
      void call.send(inBytes({ serverContent: { modelTurn: { role: 'model', parts: [{ text: 'Hello.' }] } } }))
      void call.send(inBytes({ sessionResumptionUpdate: { newHandle: 'handle-of-google', resumable: true } }))
      void call.send(inBytes({ serverContent: { turnComplete: true }, usageMetadata }))
    }),
  )
  gateway = await startGateway(sampledEngine(import.meta.file), { env: { PARLEY_DEMO: 'off' } })
  await gateway.channel('google', vendor.url, { vendor: 'gemini', models: [model, 'gemini-live-other', 'gemini-2.5-flash'] })
  for (const name of [model, 'gemini-live-other', 'gemini-2.5-flash']) await gateway.price(name, { input: '1', output: '2' })
}, 90_000)
afterAll(async () => {
  await gateway?.close()
  await vendor?.close()
})

const clientOf = (apiKey: string) => new GoogleGenAI({ apiKey, apiVersion: 'v1alpha', httpOptions: { baseUrl: gateway.url } })
const minted = async (key: string, config: CreateAuthTokenConfig = {}) => (await clientOf(key).authTokens.create({ config })).name ?? ''
const soon = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString()

interface Opened {
  session: Session
  heard: LiveServerMessage[]
  turn: Promise<void>
  ended: Promise<{ code: number; reason: string }>
}
async function opened(apiKey: string, config: object = {}, named = model): Promise<Opened> {
  const heard: LiveServerMessage[] = []
  const turn = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<{ code: number; reason: string }>()
  const session = await clientOf(apiKey).live.connect({
    model: named,
    config: { responseModalities: [Modality.TEXT], ...config },
    callbacks: {
      onmessage(message) {
        heard.push(message)
        if (message.serverContent?.turnComplete) turn.resolve()
      },
      onclose: ({ code, reason }) => ended.resolve({ code, reason }),
    },
  })
  return { session, heard, turn: turn.promise, ended: ended.promise }
}
const refusal = (...of: Parameters<typeof opened>) =>
  opened(...of).then(
    ({ session }) => {
      session.close()
      return 'it was opened'
    },
    (thrown: Error) => thrown.message,
  )
/** The first frame of the next connection. */
async function setupOf(open: () => Promise<Opened>): Promise<Record<string, unknown>> {
  const number = vendor.calls.length
  const { session } = await open()
  const [first] = (await vendor.call(number)).frames
  session.close()
  return JSON.parse(String(first)).setup
}

test('a token opens as many sessions as it may, for the money of the key that asked for it', async () => {
  const { key, session: console } = await gateway.user('ann', '5')
  const token = await minted(key)
  expect(token).toStartWith('auth_tokens/')
  const { session, turn } = await opened(token, { sessionResumption: {} })
  session.sendClientContent({ turns: 'Hello' })
  await turn
  session.close()
  for (;;) {
    const { data } = await console.call<{ data: object[] }>('GET', '/api/logs')
    if (!data[0]) continue
    expect(data).toMatchObject([{ operation: 'realtime', key: 'key of ann', charged: '0.0002' }])
    break
  }
  expect(await refusal(token)).toContain('The token has reached its maximum number of uses.')
  const twice = await minted(key, { uses: 2 })
  const all = await Promise.all(Array.from({ length: 6 }, () => refusal(twice)))
  expect(all.filter((one) => one === 'it was opened')).toHaveLength(2)
  const endless = await minted(key, { uses: 0 })
  for (let times = 0; times < 3; times++) expect(await refusal(endless)).toBe('it was opened')
}, 20_000)

test('to go on with a session is no use of the token, and one that did not begin is none', async () => {
  const { key } = await gateway.user('bob', '5')
  const token = await minted(key)
  vendor.next((call) => onEvent(call, () => call.close(1008, 'models/x is not found for API version v1beta')))
  expect(await refusal(token)).toContain('does not offer this model')
  const first = await opened(token, { sessionResumption: {} })
  first.session.sendClientContent({ turns: 'Hello' })
  await first.turn
  const handle = first.heard.flatMap(({ sessionResumptionUpdate: update }) => update?.newHandle ?? [])[0] ?? ''
  first.session.close()
  expect(await setupOf(() => opened(token, { sessionResumption: { handle } }))).toMatchObject({
    sessionResumption: { handle: 'handle-of-google' },
  })
  expect(await refusal(token)).toContain('maximum number of uses')
}, 20_000)

test('what is locked is as the token says, whatever its client asks for', async () => {
  const { key } = await gateway.user('cay', '5')
  const liveConnectConstraints = { model, config: { systemInstruction: 'Be brief.', temperature: 0.5, sessionResumption: {} } }
  const wild = { systemInstruction: 'Be long.', temperature: 1.5, topP: 0.5, tools: [{ googleSearch: {} }] }
  const whole = await minted(key, { uses: 0, liveConnectConstraints })
  expect(await setupOf(() => opened(whole, wild, 'gemini-live-other'))).toEqual({
    model: `models/${model}`,
    generationConfig: { temperature: 0.5 },
    systemInstruction: { role: 'user', parts: [{ text: 'Be brief.' }] },
    sessionResumption: {},
  })
  const some = await minted(key, { uses: 0, liveConnectConstraints, lockAdditionalFields: ['topP', 'tools'] })
  const partly = await setupOf(() => opened(some, wild, 'gemini-live-other'))
  expect(partly).toMatchObject({
    model: `models/${model}`,
    generationConfig: { temperature: 0.5, responseModalities: ['TEXT'] },
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
  })
  expect(partly.tools).toBeUndefined()
  expect(JSON.stringify(partly)).not.toContain('topP')
  const free = await minted(key, { uses: 0 })
  expect(await setupOf(() => opened(free, wild))).toMatchObject({ generationConfig: { temperature: 1.5, topP: 0.5 } })
}, 20_000)

test('a session ends with its token, and no other begins after its time', async () => {
  const { key } = await gateway.user('dan', '5')
  const short = await minted(key, { uses: 0, expireTime: soon(7), newSessionExpireTime: soon(4) })
  const { ended, session, turn, heard } = await opened(short, { sessionResumption: {} })
  session.sendClientContent({ turns: 'Hello' })
  await turn
  const handle = heard.flatMap(({ sessionResumptionUpdate: update }) => update?.newHandle ?? [])[0] ?? ''
  while ((await refusal(short)) === 'it was opened') await Bun.sleep(50)
  expect(await refusal(short)).toMatch(/can open new sessions is over|expired/)
  expect(await refusal(short, { sessionResumption: { handle } })).toMatch(/opened|401/)
  expect(await ended).toMatchObject({ code: 1008, reason: 'The token has expired.' })
  expect(await refusal(short, { sessionResumption: { handle } })).toContain('401')
}, 30_000)

test('it ends with its key, opens nothing else, and no key is taken in its place', async () => {
  const { key, session } = await gateway.user('eve', '5')
  const token = await minted(key, { uses: 0 })
  const { data } = await session.call<{ data: { id: string }[] }>('GET', '/api/keys')
  const endpoint = (query: string, service = 'BidiGenerateContentConstrained', headers = {}) =>
    rawUpgrade(`${gateway.url}/ws/google.ai.generativelanguage.v1alpha.GenerativeService.${service}${query}`, headers)
  const status = async (answer: Promise<string>) => Number(/^HTTP\/1.1 (\d+)/.exec(await answer)?.[1])
  expect(await status(endpoint(`?access_token=${token}`))).toBe(101)
  expect(await status(endpoint('', undefined, { authorization: `Token ${token}` }))).toBe(101)
  expect(await status(endpoint(`?access_token=${token.slice(0, -2)}AA`))).toBe(401)
  expect(await status(endpoint(`?access_token=${key}`))).toBe(401)
  expect(await status(endpoint(''))).toBe(401)
  expect(await status(endpoint(`?key=${token}`, 'BidiGenerateContent'))).toBe(401)
  const asked = await fetch(`${gateway.url}/v1beta/models?key=${encodeURIComponent(token)}`)
  expect(asked.status).toBe(401)
  await session.call('DELETE', `/api/keys/${data[0]?.id}`)
  expect(await status(endpoint(`?access_token=${token}`))).toBe(401)
}, 20_000)

const post = (path: string, body: object, key = gateway.key) =>
  fetch(gateway.url + path, {
    method: 'POST',
    headers: { 'x-goog-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

test.each([
  [{ uses: -1 }, 'uses'],
  [{ expire_time: soon(21 * 3600) }, 'expireTime'],
  [{ newSessionExpireTime: 'tomorrow' }, 'newSessionExpireTime'],
  [{ expireTime: soon(-5) }, 'expireTime'],
  [{ bidiGenerateContentSetup: [] }, 'bidiGenerateContentSetup'],
  [{ fieldMask: 'a..b' }, 'fieldMask'],
  [{ uses: 1, expiryTime: soon(60) }, 'expireTime'],
  [{ bidiGenerateContentSetup: { model: 3 } }, 'bidiGenerateContentSetup.model'],
])('%j is refused', async (body, field) => {
  const answer = await post('/v1alpha/auth_tokens', body)
  expect(answer.status).toBe(400)
  expect(await answer.json()).toMatchObject({ error: { status: 'INVALID_ARGUMENT', message: expect.stringContaining(field) } })
})

test('a token for a model that its key could not hold is not made', async () => {
  const of = (model: string) => post('/v1alpha/auth_tokens', { bidiGenerateContentSetup: { model: `models/${model}` } })
  const unknown = await of('nobodys')
  expect([unknown.status, await unknown.json()]).toEqual([404, { error: expect.objectContaining({ status: 'NOT_FOUND' }) }])
  const written = await of('gemini-2.5-flash')
  expect([written.status, await written.json()]).toEqual([400, { error: expect.objectContaining({ status: 'INVALID_ARGUMENT' }) }])
  expect((await of(model)).status).toBe(200)
})

test('pages of any site open a session with a token', async () => {
  const token = await minted(gateway.key)
  const at = `${gateway.url}/ws/google.ai.generativelanguage.v1alpha.GenerativeService.BidiGenerateContentConstrained`
  const upgraded = await rawUpgrade(`${at}?access_token=${token}`, { origin: 'https://shop.example', 'sec-fetch-site': 'cross-site' })
  expect(upgraded).toMatch(/^HTTP\/1.1 101 /)
})

test('a long set-up has room in the address, a longer one is refused', async () => {
  const of = (length: number) => ({
    bidiGenerateContentSetup: { model: `models/${model}`, systemInstruction: { parts: [{ text: 'x'.repeat(length) }] } },
  })
  const { name } = (await (await post('/v1alpha/auth_tokens', of(5900))).json()) as { name: string }
  expect(JSON.stringify(await setupOf(() => opened(name)))).toContain('x'.repeat(5900))
  expect((await post('/v1alpha/auth_tokens', of(7000))).status).toBe(413)
})

test.each(['/v1alpha/auth_tokens', '/v1beta/auth_tokens', '/v1/auth_tokens'])('%s asks for a key and gives a token', async (path) => {
  expect((await post(path, {}, 'sk-nobodys-key-at-all')).status).toBe(401)
  expect(await (await post(path, { uses: '3' })).json()).toMatchObject({ name: expect.stringMatching(/^auth_tokens\//) })
})
