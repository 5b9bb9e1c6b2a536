/**
 * Calls over WebRTC and SIP with the calls of OpenAI's SDK, against an upstream written after its guides: ownership, the sideband, costs,
 * endings, and that each response is charged once, also across `kill -9`.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import OpenAI from 'openai'
import { sampledEngine } from '#testing/database/database'
import { type Program, startProgram } from '#testing/program/program'
import { conversing, type RealtimeVendor, realtimeVendor } from '#testing/vendors/realtime-vendor'
import { type Gateway, type Session, signInAt, startGateway } from './support/gateway.ts'
import { type CallVendor, callVendor, type HeldCall } from './support/realtime/call-vendor.ts'
import { rawUpgrade, realtimeClient } from './support/realtime/client.ts'

const model = 'gpt-realtime'
const sdp = 'v=0\r\no=- 4611731400430051336 2 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\nm=audio 9 UDP/TLS/RTP/SAVPF 111\r\n'
const env = { PARLEY_DEMO: 'off', PARLEY_TAKEOVER: '2s' }
/** 80 tokens of text and 39 of sound in, 64 of them cached; 20 of text and 30 of sound out: at 4 and 16 USD, 0.4 for what is cached. */
const ofResponse = '0.0010456'
/** The same, as the vendor says it. */
const usageOf = { input_tokens: 100, output_tokens: 50, total_tokens: 150 }
const ofPlain = (100 * 4 + 50 * 16) / 1e6

let gateway: Gateway
let vendor: CallVendor
let other: CallVendor
let plain: RealtimeVendor
beforeAll(async () => {
  vendor = callVendor()
  other = callVendor()
  plain = realtimeVendor(conversing())
  gateway = await startGateway(sampledEngine(import.meta.file), { env })
  const models = [{ name: model, upstream: 'gpt-realtime-2025-08-28' }, { name: 'scribe', upstream: 'gpt-4o-transcribe' }, 'other']
  await gateway.channel('openai', vendor.url, { vendor: 'openai', models })
  await gateway.channel('own', other.url, { vendor: 'openai', models: ['phone'], foreignState: 'allow' })
  await gateway.channel('gemini', plain.url, { vendor: 'gemini', models: ['gemini-live'] })
  for (const name of [model, 'scribe', 'other', 'phone', 'gemini-live'])
    await gateway.price(name, { input: '4', output: '16', cacheRead: '0.4' })
}, 90_000)
afterAll(async () => {
  await gateway?.close()
  vendor?.close()
  other?.close()
  await plain?.close()
})

const clientAt = (url: string, apiKey: string) => new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 })
const clientOf = (apiKey: string) => clientAt(gateway.url, apiKey)
const thrownBy = (call: PromiseLike<unknown>) =>
  Promise.resolve(call).then(
    () => undefined,
    (thrown: unknown) => thrown as { status: number; code: string; message: string; param?: string },
  )
const idIn = (response: Response) => response.headers.get('location')?.split('/').pop() ?? ''
type Row = {
  requestId: string
  end: string
  status: number
  charged: string
  model: string
  operation: string
  error: { code: string } | null
  usage: object | null
}
async function rowsOf(session: Session, count: number): Promise<Row[]> {
  for (;;) {
    const { data } = await session.call<{ data: Row[] }>('GET', '/api/logs')
    if (data.length >= count) return data
    await Bun.sleep(20)
  }
}
const walletOf = async (session: Session) => (await session.call<{ user: { balance: string; held: string } }>('GET', '/api/session')).user
async function until(fits: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await fits())) await Bun.sleep(20)
}

/** A call of this key, watched by Parley. */
async function opened(
  key: string,
  session: object = { type: 'realtime', model },
): Promise<{ id: string; call: HeldCall; response: Response }> {
  const response = await clientOf(key).realtime.calls.create({ sdp, session: session as never })
  const call = vendor.calls.at(-1) as HeldCall
  await call.heardBy(1)
  return { id: idIn(response), call, response }
}

test('a call is opened with the session of its form, paid response by response, and has one row when it is over', async () => {
  const ann = await gateway.user('ann', '5')
  const { id, call, response } = await opened(ann.key, { type: 'realtime', model, instructions: 'Be brief.' })
  expect([response.status, response.headers.get('content-type')]).toEqual([201, 'application/sdp'])
  expect(response.headers.get('location')).toMatch(/^\/v1\/realtime\/calls\/rtc_[0-9a-f]{32}$/)
  expect(id).not.toBe(call.id)
  expect(await response.text()).toContain(`s=answer to ${call.id}`)
  expect(call.sdp).toBe(sdp)
  expect(call.session).toEqual({ type: 'realtime', model: 'gpt-realtime-2025-08-28', instructions: 'Be brief.' })
  const sent = vendor.asked.find(({ target }) => target === '/v1/realtime/calls')
  expect(sent?.headers.get('authorization')).toBe('Bearer sk-vendor')
  expect(Number((await walletOf(ann.session)).held)).toBeGreaterThan(0)
  call.respond('Hello.')
  call.respond('Hello again.')
  call.end()
  const [row] = await rowsOf(ann.session, 1)
  expect(row).toMatchObject({
    ...{ requestId: response.headers.get('x-request-id'), operation: 'realtime', model, status: 201, end: 'complete', error: null },
    charged: String(2 * Number(ofResponse)),
  })
  await until(async () => (await walletOf(ann.session)).held === '0')
  expect((await thrownBy(clientOf(ann.key).realtime.calls.hangup(id)))?.status).toBe(404)
}, 30_000)

test('an offer alone names its model in the address; the owner hangs up, and nobody else', async () => {
  const [bob, eve] = [await gateway.user('bob', '5'), await gateway.user('eve', '5')]
  const offered = (key: string, query: string) =>
    clientOf(key).realtime.calls.create({ sdp }, { query: query === '' ? {} : { model: query } })
  expect(await thrownBy(offered(bob.key, ''))).toMatchObject({ status: 400, param: 'model' })
  const id = idIn(await offered(bob.key, model))
  const call = vendor.calls.at(-1) as HeldCall
  await call.heardBy(1)
  const { calls } = clientOf(eve.key).realtime
  expect(await thrownBy(calls.hangup(id))).toMatchObject({ status: 404 })
  expect(await thrownBy(calls.refer(id, { target_uri: 'tel:+14155550123' }))).toMatchObject({ status: 404 })
  expect(await thrownBy(calls.hangup(call.id))).toMatchObject({ status: 404 })
  expect(await rawUpgrade(`${gateway.url}/v1/realtime?call_id=${id}`, { authorization: `Bearer ${eve.key}` })).toMatch(/^HTTP\/1.1 404 /)
  expect(call.isLive()).toBe(true)
  await clientOf(bob.key).realtime.calls.refer(id, { target_uri: 'tel:+14155550123' })
  expect(vendor.asked.at(-1)).toMatchObject({ target: `/v1/realtime/calls/${call.id}/refer`, body: '{"target_uri":"tel:+14155550123"}' })
  await clientOf(bob.key).realtime.calls.hangup(id)
  expect(vendor.asked.some(({ target }) => target === `/v1/realtime/calls/${call.id}/hangup`)).toBe(true)
  expect(call.isLive()).toBe(false)
  const rows = await rowsOf(bob.session, 3)
  expect(rows.map(({ status, charged }) => [status, charged]).sort()).toEqual([
    [200, '0'],
    [200, '0'],
    [201, '0'],
  ])
}, 30_000)

test('a client secret opens a call with what it sets, and nothing but that', async () => {
  const cay = await gateway.user('cay', '5')
  const { value } = await clientOf(cay.key).realtime.clientSecrets.create({
    session: { type: 'realtime', model, instructions: 'Be brief.' },
  })
  const post = (body: BodyInit, headers = {}) =>
    fetch(`${gateway.url}/v1/realtime/calls`, { method: 'POST', headers: { authorization: `Bearer ${value}`, ...headers }, body })
  const answer = await post(sdp, { 'content-type': 'application/sdp' })
  expect(answer.status).toBe(201)
  const call = vendor.calls.at(-1) as HeldCall
  expect(call.session).toEqual({ type: 'realtime', model: 'gpt-realtime-2025-08-28', instructions: 'Be brief.' })
  const form = new FormData()
  form.set('sdp', sdp)
  form.set('session', JSON.stringify({ model: 'other' }))
  expect((await post(form)).status).toBe(400)
  const id = idIn(answer)
  expect(await thrownBy(clientOf(value).realtime.calls.hangup(id))).toMatchObject({ status: 401 })
  expect(await rawUpgrade(`${gateway.url}/v1/realtime?call_id=${id}`, { authorization: `Bearer ${value}` })).toMatch(/^HTTP\/1.1 401 /)
  await call.heardBy(1)
  call.respond('Hi.', usageOf)
  call.end()
  const [row] = await rowsOf(cay.session, 1)
  expect(Number(row?.charged)).toBeCloseTo(ofPlain, 9)
}, 30_000)

test.each(['v1', 'openai/v1'])(
  'a page of another site opens a call with a client secret at /%s, and reads the answer; with a key it reads nothing',
  async (version) => {
    const paula = await gateway.user(`paula-${version.length}`, '5')
    const { value } = await clientOf(paula.key).realtime.clientSecrets.create({ session: { type: 'realtime', model } })
    const at = `${gateway.url}/${version}/realtime/calls`
    const site = { origin: 'https://shop.example', 'sec-fetch-site': 'cross-site' }
    const asked = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization, content-type' }
    const before = await fetch(at, { method: 'OPTIONS', headers: { ...site, ...asked } })
    expect([before.status, before.headers.get('access-control-allow-origin'), before.headers.get('access-control-allow-methods')]).toEqual([
      204,
      '*',
      'POST',
    ])
    expect(before.headers.get('access-control-allow-headers')).toMatch(/\bauthorization\b/)
    expect(before.headers.get('access-control-allow-credentials')).toBeNull()
    const post = (secret: string) =>
      fetch(at, { method: 'POST', headers: { ...site, authorization: `Bearer ${secret}`, 'content-type': 'application/sdp' }, body: sdp })
    const opened = await post(value)
    expect([opened.status, opened.headers.get('access-control-allow-origin')]).toEqual([201, '*'])
    expect(opened.headers.get('access-control-expose-headers')).toContain('location')
    const refused = await post(`${value}x`)
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([401, '*'])
    const withKey = await fetch(`${at}?model=${model}`, {
      method: 'POST',
      headers: { ...site, authorization: `Bearer ${paula.key}`, 'content-type': 'application/sdp' },
      body: sdp,
    })
    expect([withKey.status, withKey.headers.get('access-control-allow-origin')]).toEqual([201, null])
    for (const path of ['/v1/realtime/client_secrets', '/v1/responses', '/api/session']) {
      const other = await fetch(gateway.url + path, { method: 'OPTIONS', headers: { ...site, ...asked } })
      expect([path, other.status, other.headers.get('access-control-allow-origin')]).toEqual([path, 405, null])
    }
    for (const call of vendor.calls) call.end()
  },
  30_000,
)

test('calls that go on are shown with what they have cost, to their owner, who hangs up in the console', async () => {
  const [lou, mae] = [await gateway.user('lou', '5'), await gateway.user('mae', '5')]
  const { id, call } = await opened(lou.key)
  type Work = { data: { id: string; kind: string; model: string; spent: string | null; canStop: boolean; state: string }[] }
  const work = async ({ call: ask }: Session) => (await ask<Work>('GET', '/api/work')).data
  call.respond('Hello.')
  await until(async () => (await work(lou.session))[0]?.spent === ofResponse)
  expect(await work(lou.session)).toEqual([
    expect.objectContaining({ id, kind: 'call', model, spent: ofResponse, canStop: true, state: 'in_progress', key: 'key of lou' }),
  ])
  expect(await work(mae.session)).toEqual([])
  expect((await work(gateway.admin)).map((row) => row.id)).toContain(id)
  expect((await mae.session.raw('POST', `/api/work/${id}/stop`)).status).toBe(404)
  expect(await lou.session.call('POST', `/api/work/${id}/stop`)).toMatchObject({ id, state: 'stopping', canStop: false })
  await until(() => !call.isLive())
  const [row] = await rowsOf(lou.session, 1)
  expect(row).toMatchObject({ charged: ofResponse, operation: 'realtime' })
  await until(async () => (await work(lou.session)).length === 0)
  expect((await lou.session.raw('POST', `/api/work/${id}/stop`)).status).toBe(404)
}, 30_000)

test('the owner’s own socket beside a call hears and says what it wants, and pays for nothing twice', async () => {
  const dan = await gateway.user('dan', '5')
  const { id, call } = await opened(dan.key)
  const beside = await realtimeClient(`${gateway.url}/v1/realtime?call_id=${id}`, [], { authorization: `Bearer ${dan.key}` })
  await beside.event('session.created')
  await call.heardBy(2)
  beside.send({ type: 'session.update', session: { type: 'realtime', instructions: 'Be polite.' } })
  beside.send({ type: 'response.create', response: { prompt: { id: 'pmpt_of_others' } } })
  expect(await beside.event('error')).toMatchObject({ error: { code: 'not_found', param: 'response.prompt' } })
  await until(() => call.heard.length > 0)
  expect(call.heard).toEqual([{ type: 'session.update', session: { type: 'realtime', instructions: 'Be polite.' } }])
  call.respond('Hello.', usageOf)
  await beside.event('response.done')
  call.end()
  expect(await beside.closed).toMatchObject({ code: 1000 })
  const rows = await rowsOf(dan.session, 2)
  expect(rows.map(({ charged }) => Number(charged)).sort()).toEqual([0, ofPlain])
}, 30_000)

test.each([
  ['its key is deleted', 'invalid_api_key'],
  ['the balance is used up', 'insufficient_quota'],
  ['a budget is used up', 'insufficient_quota'],
  ['its client sets what others keep in the account', 'not_found'],
])(
  'a call is hung up when %s, and what was said is charged',
  async (why, code) => {
    const fay = await gateway.user(`fay ${code} ${why.length}`, why.includes('balance') ? '0.1' : '5')
    const made = await fay.session.call<{ key: string; id: string }>('POST', '/api/keys', {
      name: 'short',
      ...(why.includes('budget') && { budget: { total: '0.1' } }),
    })
    const { call } = await opened(made.key)
    call.respond('Hello.', usageOf)
    if (why.includes('key')) await fay.session.call('DELETE', `/api/keys/${made.id}`)
    else if (why.includes('client')) {
      call.say({ type: 'session.updated', event_id: 'e', session: { type: 'realtime', model, prompt: { id: 'pmpt_of_others' } } })
    } else call.respond('Much.', { input_tokens: 5000, output_tokens: 1500, total_tokens: 6500 })
    await until(() => !call.isLive())
    const [row] = await rowsOf(fay.session, 1)
    expect(row).toMatchObject({ end: 'error', error: { code } })
    expect(Number(row?.charged)).toBeGreaterThanOrEqual(ofPlain)
  },
  30_000,
)

test('a call without money, without a model, or at an upstream that holds none is refused before anybody is asked', async () => {
  // Calls of other tests may still be hung up.
  const begun = () => vendor.asked.filter(({ target }) => target === '/v1/realtime/calls').length
  const before = begun()
  const poor = await gateway.user('poor', '0')
  const of = (key: string, session: object) => thrownBy(clientOf(key).realtime.calls.create({ sdp, session: session as never }))
  expect(await of(poor.key, { type: 'realtime', model })).toMatchObject({ status: 429, code: 'insufficient_quota' })
  expect(await of(gateway.key, { type: 'realtime', model: 'nothing' })).toMatchObject({ status: 404, code: 'model_not_found' })
  expect(await of(gateway.key, { type: 'realtime', model: 'gemini-live' })).toMatchObject({ status: 400, code: 'unsupported_here' })
  expect(await of(gateway.key, { type: 'nothing', model })).toMatchObject({ status: 400, param: 'session.type' })
  expect(await of(gateway.key, { type: 'realtime', model, prompt: { id: 'pmpt_of_others' } })).toMatchObject({ status: 404 })
  expect(await thrownBy(clientOf(gateway.key).realtime.calls.create({ sdp: ' ', session: { type: 'realtime', model } }))).toMatchObject({
    status: 400,
    param: 'sdp',
  })
  const json = await fetch(`${gateway.url}/v1/realtime/calls`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
    body: '{}',
  })
  expect(json.status).toBe(415)
  expect(begun()).toBe(before)
  const refused = await of(gateway.key, { type: 'realtime', model, voice: 3 })
  expect(refused).toBeUndefined()
  expect(
    await thrownBy(clientOf(gateway.key).realtime.calls.create({ sdp: 'nonsense', session: { type: 'realtime', model } })),
  ).toMatchObject({
    ...{ status: 400, code: 'invalid_sdp' },
  })
}, 30_000)

test('a call that only transcribes has the upstream’s model, and ends when its client takes another', async () => {
  const kim = await gateway.user('kim', '5')
  const session = { type: 'transcription', audio: { input: { transcription: { model: 'scribe', language: 'de' } } } }
  const { call } = await opened(kim.key, session)
  expect(call.session).toEqual({
    type: 'transcription',
    audio: { input: { transcription: { model: 'gpt-4o-transcribe', language: 'de' } } },
  })
  const heard = { type: 'conversation.item.input_audio_transcription.completed', item_id: 'i', content_index: 0, transcript: 'hi' }
  call.say({ ...heard, usage: { type: 'tokens', input_tokens: 100, output_tokens: 10, total_tokens: 110 } })
  call.say({ type: 'session.updated', session: { ...session, audio: { input: { transcription: { model: 'whisper-1' } } } } })
  await until(() => !call.isLive())
  const [row] = await rowsOf(kim.session, 1)
  expect(row).toMatchObject({ model: 'scribe', charged: '0.00056', error: { code: 'model_not_found' } })
}, 30_000)

test('a connection beside a call that breaks is dialled again', async () => {
  const hal = await gateway.user('hal', '5')
  const { call } = await opened(hal.key)
  call.respond('One.', usageOf)
  call.cut()
  await until(() => call.listeners() === 0)
  await call.heardBy(1)
  call.respond('Two.', usageOf)
  call.end()
  const [row] = await rowsOf(hal.session, 1)
  expect(row).toMatchObject({ end: 'complete', error: null })
  expect(Number(row?.charged)).toBeCloseTo(2 * ofPlain, 9)
}, 30_000)

test('a call that came in over SIP is taken through the account that one tenant alone uses, and is theirs from then on', async () => {
  const [ida, eve] = [await gateway.user('ida', '5'), await gateway.user('eva', '5')]
  const { calls } = clientOf(ida.key).realtime
  const id = other.incoming()
  expect(await thrownBy(calls.accept(id, { type: 'realtime', model }))).toMatchObject({ status: 404 })
  expect(await thrownBy(calls.accept('rtc_nothing', { type: 'realtime', model: 'phone' }))).toMatchObject({ status: 404 })
  expect(await thrownBy(calls.accept(id, { type: 'realtime' }))).toMatchObject({ status: 400, param: 'model' })
  await calls.accept(id, { type: 'realtime', model: 'phone', instructions: 'Answer the phone.' })
  const call = other.calls.at(-1) as HeldCall
  expect(call).toMatchObject({ id, session: { type: 'realtime', model: 'phone', instructions: 'Answer the phone.' } })
  expect(other.asked.some(({ target }) => target === `/v1/realtime/calls/${id}/accept`)).toBe(true)
  await call.heardBy(1)
  expect(await thrownBy(clientOf(eve.key).realtime.calls.hangup(id))).toMatchObject({ status: 404 })
  expect(await thrownBy(clientOf(eve.key).realtime.calls.accept(id, { type: 'realtime', model: 'phone' }))).toMatchObject({ status: 404 })
  call.respond('Hello.', usageOf)
  await calls.refer(id, { target_uri: 'tel:+14155550123' })
  await calls.hangup(id)
  const rows = await rowsOf(ida.session, 5)
  expect(Math.max(...rows.map(({ charged }) => Number(charged)))).toBeCloseTo(ofPlain, 9)
  const unwanted = other.incoming()
  await calls.reject(unwanted, { status_code: 486 })
  expect(other.asked.at(-1)).toMatchObject({ target: `/v1/realtime/calls/${unwanted}/reject`, body: '{"status_code":486}' })
}, 30_000)

test('kill -9 during a call: the next process watches it on, and each response is paid once', async () => {
  const folder = mkdtempSync(join('/tmp', 'parley-calls-'))
  const own = { ...env, PARLEY_ADMIN_USER: 'root', PARLEY_ADMIN_PASSWORD: 'a long enough word 7' }
  const config = `
channels: [{ name: openai, vendor: openai, baseUrl: "${vendor.url}", keys: [sk-vendor], models: [${model}] }]
prices: { ${model}: { input: 4, output: 16, cacheRead: 0.4 } }
users: [{ name: ann, password: "password of ann 7", balance: 10 }]
keys: [{ name: own, user: ann, key: sk-a-key-of-ann }]
`
  let program: Program = await startProgram({ folder, config, env: own })
  const restart = async (signal: NodeJS.Signals) => {
    process.kill(program.pid, signal)
    await program.stop()
    program = await startProgram({ folder, config, env: own })
  }
  const balance = async () => walletOf(await signInAt(program.url, 'ann', 'password of ann 7'))
  const paid = (responses: number) => Number((10 - responses * ofPlain).toFixed(9))
  try {
    const response = await clientAt(program.url, 'sk-a-key-of-ann').realtime.calls.create({ sdp, session: { type: 'realtime', model } })
    const call = vendor.calls.at(-1) as HeldCall
    await call.heardBy(1)
    call.respond('One.', usageOf)
    call.respond('Two.', usageOf)
    // Begun before the kill, ended after it.
    call.say({ type: 'response.created', response: { id: 'resp_over', status: 'in_progress' } })
    await Bun.sleep(300)
    await restart('SIGKILL')
    await call.heardBy(1)
    call.say({ type: 'response.done', response: { id: 'resp_over', conversation_id: 'c', status: 'completed', usage: usageOf } })
    call.respond('Four.', usageOf)
    await until(async () => Number((await balance()).balance) <= paid(2))
    await Bun.sleep(300)
    await restart('SIGTERM')
    await call.heardBy(1)
    expect(call.isLive()).toBe(true)
    await until(async () => Number((await balance()).balance) === paid(4))
    call.respond('Five.', usageOf)
    await clientAt(program.url, 'sk-a-key-of-ann').realtime.calls.hangup(idIn(response))
    expect(call.isLive()).toBe(false)
    await until(async () => (await balance()).held === '0')
    expect(await balance()).toMatchObject({ balance: String(paid(5)), held: '0' })
  } finally {
    await program.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}, 120_000)
