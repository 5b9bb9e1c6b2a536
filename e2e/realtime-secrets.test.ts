/** Short-lived keys for realtime sessions of browsers, as the SDK requests them: what they allow, for whom, and for how long. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { sampledEngine } from '#testing/database/database'
import { conversing, type RealtimeVendor, realtimeVendor } from '#testing/vendors/realtime-vendor'
import { type Gateway, startGateway } from './support/gateway.ts'
import { rawUpgrade, realtimeClient } from './support/realtime/client.ts'

const model = 'gpt-realtime'
let gateway: Gateway
let vendor: RealtimeVendor
beforeAll(async () => {
  vendor = realtimeVendor(conversing('Hello.'))
  gateway = await startGateway(sampledEngine(import.meta.file), { env: { PARLEY_DEMO: 'off' } })
  await gateway.channel('first', vendor.url, { models: [model, 'other', { name: 'scribe', upstream: 'gpt-4o-transcribe' }] })
  for (const name of [model, 'other', 'scribe']) await gateway.price(name, { input: '4', output: '16' })
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
  [{ session: { type: 'translation' } }, 'invalid_value'],
  [{ expires_after: { anchor: 'created_at', seconds: 9 } }, 'invalid_value'],
  [{ expires_after: { anchor: 'created_at', seconds: 7201 } }, 'invalid_value'],
  [{ session: { type: 'realtime', instructions: 'x'.repeat(7000) } }, 'request_too_large'],
])('%j is refused', async (body, code) => {
  expect(await thrownBy(clientOf(gateway.key).realtime.clientSecrets.create(body as never))).toMatchObject({ code })
})

const naming = (name: string) => ({ type: 'transcription', audio: { input: { transcription: { model: name } } } }) as const
const ofBeta = (name: string) => ({ input_audio_transcription: { model: name as 'whisper-1' } })

test.each([
  ['a client secret', async (key: string) => (await clientOf(key).realtime.clientSecrets.create({ session: naming('scribe') })).value, ''],
  ['the key itself', async (key: string) => key, '?intent=transcription&model=scribe'],
  [
    'a secret of the beta version',
    async (key: string) => (await clientOf(key).beta.realtime.transcriptionSessions.create(ofBeta('scribe'))).client_secret.value,
    '?intent=transcription',
  ],
])(
  'a session that only transcribes opens with %s, calls the model as its upstream does, and pays for what was heard',
  async (by, secretOf, query) => {
    const { key, session } = await gateway.user(`one with ${by}`, '5')
    const number = vendor.calls.length
    const browser = await asBrowser(await secretOf(key), query)
    const call = await vendor.call(number)
    expect(call.target).toBe('/v1/realtime?intent=transcription')
    await call.received(1)
    const first = JSON.parse(String(call.frames[0]))
    const isBeta = by.includes('beta')
    expect(first).toMatchObject(
      isBeta
        ? { type: 'transcription_session.update', session: ofBeta('gpt-4o-transcribe') }
        : { type: 'session.update', session: naming('gpt-4o-transcribe') },
    )
    browser.send({ type: 'session.update', session: naming('scribe') })
    await call.received(2)
    expect(JSON.parse(String(call.frames[1])).session).toEqual(naming('gpt-4o-transcribe'))
    browser.send({ type: 'session.update', session: naming('other') })
    expect(await browser.event('error')).toMatchObject({ error: { code: 'model_not_found' } })
    const heard = { type: 'conversation.item.input_audio_transcription.completed', item_id: 'i', content_index: 0, transcript: 'hi' }
    const usage = { type: 'tokens', input_tokens: 100, output_tokens: 10, total_tokens: 110, input_token_details: { audio_tokens: 100 } }
    await call.send({ ...heard, usage })
    await browser.event(heard.type)
    browser.socket.close()
    await browser.closed
    for (;;) {
      const { data } = await session.call<{ data: { operation: string; model: string; charged: string }[] }>('GET', '/api/logs')
      if (!data[0]) continue
      expect(data).toMatchObject([{ operation: 'realtime', model: 'scribe', charged: '0.00056' }])
      return
    }
  },
  20_000,
)

test('a session that only transcribes needs a model that does', async () => {
  const asked = async (query: string) => await rawUpgrade(address(query), { authorization: `Bearer ${gateway.key}` })
  expect(await asked('?intent=transcription')).toMatch(/^HTTP\/1.1 400 /)
  expect(await asked(`?intent=transcription&model=${model}`)).toMatch(/^HTTP\/1.1 4\d\d /)
  expect(await asked('?intent=conversation&model=scribe')).toMatch(/^HTTP\/1.1 400 /)
})

test.each(['/v1/realtime/client_secrets', '/v1/realtime/sessions', '/v1/realtime/transcription_sessions'])(
  '%s asks for a key',
  async (path) => {
    expect((await fetch(gateway.url + path, { method: 'POST', body: '{}' })).status).toBe(401)
  },
)
