/** The realtime endpoint from outside: who is accepted, what is forwarded, and how the official SDK works with it. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { OpenAIRealtimeWebSocket } from 'openai/realtime/websocket'
import { OpenAIRealtimeWS } from 'openai/realtime/ws'
import { sampledEngine } from '#testing/database/database'
import { conversing, type RealtimeVendor, realtimeVendor, responseUsage, sessionCreated } from '#testing/vendors/realtime-vendor'
import { type Gateway, startGateway } from './support/gateway.ts'
import { type RealtimeClient, rawUpgrade, realtimeClient, tlsFront } from './support/realtime/client.ts'

const model = 'gpt-realtime'
const question = {
  type: 'conversation.item.create',
  item: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Say hello.' }] },
} as const

let gateway: Gateway
let vendor: RealtimeVendor
let other: RealtimeVendor
let front: Awaited<ReturnType<typeof tlsFront>>
const undo: (() => unknown)[] = []

beforeAll(async () => {
  vendor = realtimeVendor()
  other = realtimeVendor(conversing('From the other one.'))
  gateway = await startGateway(sampledEngine(import.meta.file))
  front = await tlsFront(gateway.url)
  await gateway.channel('first', vendor.url, { models: [{ name: model, upstream: 'gpt-realtime-2' }], priority: 1 })
  await gateway.channel('second', other.url, { models: [model], keys: ['sk-other'] })
  await gateway.channel('chats', vendor.url, { models: ['gpt-5'] })
  await gateway.price(model, { input: '4', output: '16', cacheRead: '0.4', audioIn: '32', audioOut: '64' })
  await gateway.price('gpt-5', { input: '1', output: '2' })
  // The SDK requires TLS, and this test's certificate is self-signed.
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
}, 90_000)

afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

afterAll(async () => {
  delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
  front?.close()
  await gateway?.close()
  await vendor?.close()
  await other?.close()
})

const address = (query = `model=${model}`) => `${gateway.url}/v1/realtime?${query}`
const bearer = () => ({ authorization: `Bearer ${gateway.key}` })

async function client(): Promise<RealtimeClient> {
  const made = await realtimeClient(address(), [], bearer())
  undo.push(() => made.socket.close())
  return made
}

type Row = Record<string, unknown> & { cost: string; end: string; requestId: string; attempts: { channel: string; status: number }[] }

/** The newest realtime row, once the end of the session has been written. */
async function newest(after?: string): Promise<Row> {
  for (let tries = 0; tries < 200; tries++) {
    const { data } = await gateway.admin.call<{ data: Row[] }>('GET', '/api/logs?limit=1')
    if (data[0] && data[0].requestId !== after) return data[0]
    await Bun.sleep(10)
  }
  throw new Error('no usage row came')
}

const latestId = async () => (await gateway.admin.call<{ data: Row[] }>('GET', '/api/logs?limit=1')).data[0]?.requestId

/** By hand: 30 uncached at 4, 64 cached at 0.4, 25 audio input at 32, 20 text output at 16, 30 audio output at 64 USD per million. */
const costOfOne = '0.0031856'

describe('official clients', () => {
  async function talk(realtime: OpenAIRealtimeWS | OpenAIRealtimeWebSocket): Promise<string> {
    const text = await new Promise<string>((resolve, reject) => {
      let said = ''
      realtime.on('error', reject)
      realtime.on('session.created', () => {
        realtime.send({ type: 'session.update', session: { type: 'realtime', output_modalities: ['text'] } })
        realtime.send(question as never)
        realtime.send({ type: 'response.create' })
      })
      realtime.on('response.output_text.delta', ({ delta }) => {
        said += delta
      })
      realtime.on('response.done', ({ response }) => {
        expect(response.usage).toEqual(responseUsage)
        resolve(said)
      })
    })
    realtime.close()
    return text
  }

  test('openai over ws, with Bearer', async () => {
    const before = await latestId()
    const openai = new OpenAI({ apiKey: gateway.key, baseURL: `${front.url}/v1` })
    const realtime = new OpenAIRealtimeWS({ model, options: { rejectUnauthorized: false } }, openai)
    expect(await talk(realtime)).toBe('Hello from the upstream.')
    expect(await newest(before)).toMatchObject({ cost: costOfOne, status: 101, end: 'complete', provenance: 'provider' })
  })

  test('openai over the native WebSocket, with the key as a subprotocol', async () => {
    const before = await latestId()
    const openai = new OpenAI({ apiKey: gateway.key, baseURL: `${front.url}/v1` })
    const realtime = new OpenAIRealtimeWebSocket({ model }, openai)
    expect(await talk(realtime)).toBe('Hello from the upstream.')
    expect(realtime.socket.protocol).toBe('realtime')
    expect(await newest(before)).toMatchObject({ cost: costOfOne, key: 'first', operation: 'realtime', dialect: 'openai' })
  })

  test('the demo model converses', async () => {
    const demo = await startGateway(sampledEngine(import.meta.file))
    undo.push(() => demo.close())
    const made = await realtimeClient(`${demo.url}/v1/realtime?model=parley-demo-realtime`, [
      'realtime',
      `openai-insecure-api-key.${demo.key}`,
    ])
    made.send(question)
    made.send({ type: 'response.create' })
    const done = (await made.event('response.done')) as { response: { usage: { input_tokens: number; output_tokens: number } } }
    made.socket.close(1000)
    await made.closed
    for (const type of ['session.created', 'conversation.item.added', 'response.created', 'response.output_text.delta']) {
      expect(made.events(type).length).toBeGreaterThan(0)
    }
    const { input_tokens: input, output_tokens: output } = done.response.usage
    await Bun.sleep(100)
    const { data } = await demo.admin.call<{ data: Row[] }>('GET', '/api/logs')
    expect(Number(data[0]?.cost)).toBeCloseTo((input + 2 * output) / 1e6, 12)
  }, 90_000)
})

describe('before the upgrade', () => {
  const bad: [name: string, query: string, headers: Record<string, string>, status: number, code: string, param: string | null][] = [
    ['no key', `model=${model}`, { authorization: '' }, 401, 'invalid_api_key', null],
    ['a wrong key', `model=${model}`, { authorization: 'Bearer sk-wrongwrongwrong' }, 401, 'invalid_api_key', null],
    ['two keys', `model=${model}&key=sk-anotheranother`, {}, 401, 'conflicting_credentials', null],
    ['no model', '', {}, 400, 'missing_field', 'model'],
    ['two models', `model=${model}&model=gpt-5`, {}, 400, 'invalid_value', 'model'],
    ['an unknown model', 'model=nobody-has-it', {}, 404, 'model_not_found', 'model'],
    ['a model that chats', 'model=gpt-5', {}, 400, 'unsupported_endpoint', 'model'],
    ['a call of the account', 'call_id=rtc_1', {}, 404, 'not_found', 'call_id'],
    ['a call and a model', `model=${model}&call_id=rtc_1`, {}, 400, 'invalid_value', 'model'],
    [
      'subprotocols without realtime',
      `model=${model}`,
      { 'sec-websocket-protocol': 'x, y' },
      400,
      'invalid_value',
      'Sec-WebSocket-Protocol',
    ],
    ['no WebSocket key', `model=${model}`, { 'sec-websocket-key': '' }, 400, 'invalid_value', 'Sec-WebSocket-Key'],
    ['a WebSocket key that is none', `model=${model}`, { 'sec-websocket-key': 'x' }, 400, 'invalid_value', 'Sec-WebSocket-Key'],
    ['no upgrade', `model=${model}`, { upgrade: '' }, 426, 'invalid_request', null],
  ]
  test.each(bad)('%s', async (_, query, headers, status, code, param) => {
    const wanted = {
      ...bearer(),
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      ...headers,
    }
    const sent = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== ''))
    const dials = vendor.asked.length
    const answer = await fetch(address(query), { headers: sent })
    expect(answer.status).toBe(status)
    const text = await answer.text()
    expect(JSON.parse(text)).toMatchObject({ error: { code, param } })
    expect(text).not.toContain('nobody-has-it')
    expect(answer.headers.get('x-request-id')).toStartWith('req_')
    expect(vendor.asked.length).toBe(dials)
    if (status === 426) expect(answer.headers.get('upgrade')).toBe('websocket')
  })

  test('no money: 429 before anybody is called, nothing held, a row', async () => {
    const { key, session } = await gateway.user('poor', '0.000001')
    const dials = vendor.asked.length
    const head = await rawUpgrade(address(), { authorization: `Bearer ${key}` })
    expect(head).toStartWith('HTTP/1.1 429')
    expect(head).toMatch(/x-should-retry: false/i)
    expect(vendor.asked.length).toBe(dials)
    expect(await session.call('GET', '/api/session')).toMatchObject({ user: { held: '0', balance: '0.000001' } })
    expect(await newest()).toMatchObject({ status: 429, end: 'error', cost: '0', operation: 'realtime' })
  })

  test('the other methods are 405', async () => {
    expect((await fetch(address(), { method: 'POST', headers: bearer() })).status).toBe(405)
  })
})

describe('the upstream', () => {
  test('is told its own key and its own name of the model, and nothing of the client', async () => {
    const number = vendor.calls.length
    const made = await realtimeClient(address(), ['realtime', `openai-insecure-api-key.${gateway.key}`], {
      cookie: 'a=b',
      'x-custom': 'mine',
    })
    undo.push(() => made.socket.close())
    const { target, headers } = await vendor.call(number)
    expect(target).toBe('/v1/realtime?model=gpt-realtime-2')
    expect(headers.get('authorization')).toBe('Bearer sk-vendor')
    expect(headers.get('user-agent')).toStartWith('parley/')
    const own = ['authorization', 'user-agent', 'host', 'connection', 'upgrade', 'sec-websocket-key', 'sec-websocket-version']
    expect([...headers.keys()].filter((name) => !own.includes(name))).toEqual([])
  })

  test('of Azure is called at its own address, with its own header', async () => {
    const azure = realtimeVendor()
    undo.push(() => azure.close())
    await gateway.channel('azure', azure.url, {
      vendor: 'azure-openai',
      models: ['rt-azure'],
      keys: ['azure-key'],
      options: { apiVersion: '2025-04-01-preview' },
    })
    await gateway.price('rt-azure')
    const made = await realtimeClient(address('model=rt-azure'), [], bearer())
    made.send(question)
    made.send({ type: 'response.create' })
    await made.event('response.done')
    made.socket.close()
    expect(azure.asked[0]?.target).toBe('/openai/realtime?api-version=2025-04-01-preview&deployment=rt-azure')
    expect(azure.asked[0]?.headers.get('api-key')).toBe('azure-key')
    expect(azure.asked[0]?.headers.get('authorization')).toBeNull()
  })

  test('that refuses, says an error first, or breaks at once is passed over; the client sees only the next one', async () => {
    const keyError = {
      type: 'error',
      error: { type: 'invalid_request_error', code: 'invalid_api_key', message: 'Incorrect API key: sk-ve...' },
    }
    for (const script of [
      { refuse: 401, body: { error: { message: 'no', code: 'invalid_api_key' } } },
      { refuse: 503 },
      (call: { send(frame: object): unknown; close(code: number): void }) => {
        void call.send(keyError)
        call.close(3000)
      },
      (call: { cut(): void }) => call.cut(),
    ]) {
      const before = await latestId()
      vendor.next(script)
      const made = await client()
      await made.event('session.created')
      expect(made.events('error')).toEqual([])
      made.send({ type: 'response.create' })
      await made.event('response.done')
      expect(
        made
          .events('response.output_text.delta')
          .map(({ delta }) => delta)
          .join(''),
      ).toBe('From the other one.')
      made.socket.close(1000)
      await made.closed
      const row = await newest(before)
      expect(row).toMatchObject({ end: 'complete', channel: 'second', cost: costOfOne })
      expect(row.attempts.map(({ channel }) => channel)).toEqual(['first', 'second'])
    }
  })

  test('that waits for the client’s first word is given it', async () => {
    const number = vendor.calls.length
    vendor.next(() => {})
    const made = await client()
    made.send(question)
    await (await vendor.call(number)).received(1)
  })

  test('is left when the client leaves before the upgrade; nothing stays held', async () => {
    const { key, session } = await gateway.user('hasty', '1')
    const number = vendor.calls.length
    vendor.next(() => {})
    const leaving = new AbortController()
    const headers = {
      authorization: `Bearer ${key}`,
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    }
    const asking = fetch(address(), { headers, signal: leaving.signal }).catch(() => undefined)
    const call = await vendor.call(number)
    leaving.abort()
    await asking
    await call.closed
    for (let tries = 0; tries < 300; tries++) {
      const { data } = await session.call<{ data: Row[] }>('GET', '/api/logs')
      if (data[0]) break
      await Bun.sleep(10)
    }
    expect((await session.call<{ data: Row[] }>('GET', '/api/logs')).data[0]).toMatchObject({ end: 'aborted', status: 499, cost: '0' })
    expect(await session.call('GET', '/api/session')).toMatchObject({ user: { held: '0', balance: '1' } })
  })

  test('a refusal that is the client’s own goes to the client as a status', async () => {
    vendor.next({ refuse: 400, body: { error: { message: 'Bad thing.', type: 'invalid_request_error', code: 'bad_thing', param: null } } })
    expect(await rawUpgrade(address(), bearer())).toStartWith('HTTP/1.1 400')
    expect(await newest()).toMatchObject({ status: 400, cost: '0', end: 'error' })
  })
})

describe('frames', () => {
  test('pass as they are, in both directions and in order; of the client only those that can be read', async () => {
    const number = vendor.calls.length
    const odd = ['{ "type" : "x.y",\t"n": 1.0, "u": "\\u00e9é😀" }', 'no json at all', '', '{"type":"response.future","a":[]}']
    const bytes = new Uint8Array([0, 255, 1, 128, 10])
    vendor.next(async (call) => {
      await call.send(sessionCreated)
      for (const frame of odd) await call.send(frame)
      await call.send(bytes)
    })
    const made = await client()
    const call = await vendor.call(number)
    await made.received(2 + odd.length)
    expect(made.frames.slice(1)).toEqual([...odd, bytes])
    // Only frames that Parley can read are forwarded: an upstream might interpret others.
    const readable = odd.filter((frame) => frame.startsWith('{'))
    for (const frame of [...odd, bytes]) made.send(frame)
    await call.received(readable.length)
    expect(call.frames.map(String)).toEqual(readable)
    await made.received(1 + odd.length + 1 + 3)
    for (const refused of made.frames.slice(2 + odd.length)) expect(JSON.parse(String(refused))).toMatchObject({ type: 'error' })
  })

  test('a prompt kept in the upstream’s account is refused in-band; the session goes on', async () => {
    const number = vendor.calls.length
    const made = await client()
    made.send({ type: 'session.update', event_id: 'mine', session: { type: 'realtime', prompt: { id: 'pmpt_1' } } })
    const { error } = (await made.event('error')) as { error: Record<string, unknown> }
    expect(error).toMatchObject({ code: 'not_found', param: 'session.prompt', event_id: 'mine' })
    made.send({ type: 'response.create' })
    await made.event('response.done')
    expect((await vendor.call(number)).events('session.update')).toEqual([])
  })
})

test('the key is in no header of the answer, no line of the log and no usage row', async () => {
  for (const protocols of [`openai-insecure-api-key.${gateway.key}, realtime`, `realtime,openai-insecure-api-key.${gateway.key}`]) {
    const head = await rawUpgrade(address(), { 'sec-websocket-protocol': protocols })
    expect(head).toStartWith('HTTP/1.1 101')
    expect(head).toMatch(/sec-websocket-protocol: realtime\r?$/im)
    expect(head).toMatch(/x-request-id: req_/i)
    expect(head).not.toContain(gateway.key)
  }
  const refused = await rawUpgrade(address(), { 'sec-websocket-protocol': `openai-insecure-api-key.${gateway.key}` })
  expect(refused).toStartWith('HTTP/1.1 400')
  expect(refused).not.toContain(gateway.key)
  const output = gateway.program.output().replace(`PARLEY_KEY=${gateway.key}`, '')
  expect(output).not.toContain(gateway.key)
  expect(JSON.stringify(await gateway.admin.call('GET', '/api/logs?limit=200'))).not.toContain(gateway.key)
})
