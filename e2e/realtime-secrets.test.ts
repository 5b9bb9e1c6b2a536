/** Short-lived keys for realtime sessions of browsers, as the SDK asks for them: what they open, for whom, for how long, and nothing else. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { sampledEngine } from '#testing/database/database'
import { conversing, type RealtimeVendor, realtimeVendor } from '#testing/vendors/realtime-vendor'
import { type Gateway, startGateway } from './support/gateway.ts'
import { rawUpgrade, realtimeClient } from './support/realtime-client.ts'

const model = 'gpt-realtime'
let gateway: Gateway
let vendor: RealtimeVendor
beforeAll(async () => {
  vendor = realtimeVendor(conversing('Hello.'))
  gateway = await startGateway(sampledEngine(import.meta.file), { env: { PARLEY_DEMO: 'off' } })
  await gateway.channel('first', vendor.url, { models: [model, 'other'] })
  for (const name of [model, 'other']) await gateway.price(name, { input: '4', output: '16' })
}, 90_000)
afterAll(async () => {
  await gateway?.close()
  await vendor?.close()
})

const clientOf = (apiKey: string) => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey, maxRetries: 0 })
const thrownBy = (call: PromiseLike<unknown>) =>
  Promise.resolve(call).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
const address = (query = '') => `${gateway.url}/v1/realtime${query}`
const asBrowser = (secret: string, query = '') => realtimeClient(address(query), ['realtime', `openai-insecure-api-key.${secret}`])

test('a client secret opens one user’s session with what was set, and is charged to the key that asked for it', async () => {
  const { key, session } = await gateway.user('ann', '5')
  const settings = { type: 'realtime', model, instructions: 'Be brief.' } as const
  const made = await clientOf(key).realtime.clientSecrets.create({
    expires_after: { anchor: 'created_at', seconds: 60 },
    session: settings,
  })
  expect(made.value).toMatch(/^ek_/)
  expect(made.expires_at - Date.now() / 1000).toBeLessThan(61)
  expect(made.session).toMatchObject({ object: 'realtime.session', instructions: 'Be brief.', model })
  const number = vendor.calls.length
  const browser = await asBrowser(made.value)
  await browser.event('session.created')
  const call = await vendor.call(number)
  await call.received(1)
  expect(call.events('session.update')).toEqual([{ type: 'session.update', session: { type: 'realtime', instructions: 'Be brief.' } }])
  browser.send({ type: 'response.create' })
  await browser.event('response.done')
  browser.socket.close()
  await browser.closed
  for (;;) {
    const { data } = await session.call<{ data: { operation: string; key: string; charged: string }[] }>('GET', '/api/logs')
    if (!data[0]) continue
    expect(data).toMatchObject([{ operation: 'realtime', key: 'key of ann' }])
    expect(Number(data[0].charged)).toBeGreaterThan(0)
    return
  }
}, 20_000)

test('the beta version’s sessions have theirs', async () => {
  const made = await clientOf(gateway.key).beta.realtime.sessions.create({ model: model as never, instructions: 'Be brief.' })
  expect(made).toMatchObject({ object: 'realtime.session', instructions: 'Be brief.' })
  expect(made.client_secret.value).toMatch(/^ek_/)
  const browser = await asBrowser(made.client_secret.value, `?model=${model}`)
  await browser.event('session.created')
  browser.socket.close()
})

test('it opens nothing else, no other model, and ends with its time and its key', async () => {
  const { session, key } = await gateway.user('bob', '5')
  const of = (apiKey: string, seconds = 60) =>
    clientOf(apiKey).realtime.clientSecrets.create({
      expires_after: { anchor: 'created_at', seconds },
      session: { type: 'realtime', model },
    })
  const { value } = await of(key)
  const upgraded = async (secret: string, query = '') =>
    Number(/^HTTP\/1.1 (\d+)/.exec(await rawUpgrade(address(query), { authorization: `Bearer ${secret}` }))?.[1])
  expect(await thrownBy(clientOf(value).models.list())).toMatchObject({ status: 401, code: 'invalid_api_key' })
  expect(await thrownBy(of(value))).toMatchObject({ status: 401 })
  expect(await upgraded(value, '?model=other')).toBe(400)
  expect(await upgraded(`${value.slice(0, -2)}AA`)).toBe(401)
  expect(await upgraded('ek_nothing')).toBe(401)
  const { data } = await session.call<{ data: { id: string }[] }>('GET', '/api/keys')
  await session.call('PATCH', `/api/keys/${data[0]?.id}`, { addresses: ['203.0.113.7'] })
  expect(await upgraded(value)).toBe(401)
  await session.call('PATCH', `/api/keys/${data[0]?.id}`, { addresses: null })
  expect(await upgraded(value)).toBe(101)
  await session.call('DELETE', `/api/keys/${data[0]?.id}`)
  expect(await upgraded(value)).toBe(401)
}, 20_000)

test.each([
  [{ session: { type: 'transcription' } }, 'unsupported_here'],
  [{ expires_after: { anchor: 'created_at', seconds: 9 } }, 'invalid_value'],
  [{ expires_after: { anchor: 'created_at', seconds: 7201 } }, 'invalid_value'],
  [{ session: { type: 'realtime', instructions: 'x'.repeat(7000) } }, 'request_too_large'],
])('%j is refused', async (body, code) => {
  expect(await thrownBy(clientOf(gateway.key).realtime.clientSecrets.create(body as never))).toMatchObject({ code })
})

test('transcription sessions are refused with what to use instead', async () => {
  const refused = await thrownBy(clientOf(gateway.key).beta.realtime.transcriptionSessions.create({}))
  expect(refused).toMatchObject({ status: 400, code: 'unsupported_here', message: expect.stringContaining('/v1/audio/transcriptions') })
})

test.each(['/v1/realtime/client_secrets', '/v1/realtime/sessions'])('%s asks for a key', async (path) => {
  expect((await fetch(gateway.url + path, { method: 'POST', body: '{}' })).status).toBe(401)
})
