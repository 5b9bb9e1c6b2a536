/** Realtime sessions from hold to settlement: what is charged, who ends a session and how, and slow readers. On both engines. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sampledEngine, sampledEngines } from '#testing/database/database'
import { chosenRuntime } from '#testing/program/command'
import { administrator, administratorPassword, type Program, startProgram } from '#testing/program/program'
import {
  type RealtimeCall,
  type RealtimeVendor,
  realtimeVendor,
  responseEvents,
  responseUsage,
  sessionCreated,
} from '#testing/vendors/realtime-vendor'
import { databaseOn, type Gateway, startGateway } from './support/gateway.ts'
import { type RealtimeClient, realtimeClient } from './support/realtime/client.ts'

const model = 'gpt-realtime'
const price = { input: '4', output: '16', cacheRead: '0.4', audioIn: '32', audioOut: '64', second: '0.0001' }
/** Nano-dollars of one `responseUsage`: 30 uncached and 64 cached text tokens and 25 audio tokens in, 20 text and 30 audio tokens out. */
const ofOne = 30n * 4000n + 64n * 400n + 25n * 32_000n + 20n * 16_000n + 30n * 64_000n
/** Nano-dollars of the largest response that a new session may need: 1,024 text tokens in and 4,096 audio tokens out. */
const first = 1024n * 4000n + 4096n * 64_000n
const usd = (nano: bigint) => `${nano / 1_000_000_000n}.${(nano % 1_000_000_000n).toString().padStart(9, '0')}`.replace(/\.?0+$/, '')

type Row = Record<string, unknown> & { requestId: string; cost: string; usage: Record<string, Record<string, number>> }

describe.each(sampledEngines(import.meta.file))('a session on %s', (engine) => {
  let gateway: Gateway
  let vendor: RealtimeVendor
  let users = 0
  const undo: (() => unknown)[] = []

  beforeAll(async () => {
    vendor = realtimeVendor()
    gateway = await startGateway(engine)
    await gateway.channel('vendor', vendor.url, { models: [model] })
    await gateway.price(model, price)
  }, 90_000)

  afterEach(async () => {
    for (const step of undo.splice(0).reverse()) await step()
  })

  afterAll(async () => {
    await gateway?.close()
    await vendor?.close()
  })

  /** A user with this balance in a session; the upstream sends nothing by itself. */
  async function begin(balance: bigint) {
    const user = await gateway.user(`user-${engine}-${++users}`, usd(balance))
    const number = vendor.calls.length
    vendor.next((made) => made.send(sessionCreated))
    const client = await realtimeClient(`${gateway.url}/v1/realtime?model=${model}`, [], { authorization: `Bearer ${user.key}` })
    undo.push(() => client.socket.close())
    await client.event('session.created')
    const call = await vendor.call(number)
    const money = async () => (await user.session.call<{ user: { balance: string; held: string } }>('GET', '/api/session')).user
    const row = async () => (await user.session.call<{ data: Row[] }>('GET', '/api/logs?limit=1')).data[0]
    return { user, client, call, money, row }
  }

  const say = async (call: RealtimeCall, events: readonly object[]) => {
    for (const event of events) await call.send(event)
  }

  const ending = (client: RealtimeClient, ms = 5_000) =>
    Promise.race([client.closed, Bun.sleep(ms).then(() => Promise.reject(new Error('the session did not end in time')))])

  /** The row of a session that its client closed; the client sees the close before the row is written. */
  async function rowSoon(row: () => Promise<Row | undefined>): Promise<Row> {
    for (let tries = 0; tries < 200; tries++) {
      const found = await row()
      if (found) return found
      await Bun.sleep(10)
    }
    throw new Error('no usage row came')
  }

  test('pays each response once, transcriptions and seconds too; the row is the sum', async () => {
    const { client, call, money, row } = await begin(10n ** 9n)
    // Open holds are reported with a delay of up to a second.
    for (let tries = 0; (await money()).held !== usd(first) && tries < 500; tries++) await Bun.sleep(20)
    expect(await money()).toEqual(expect.objectContaining({ balance: '1', held: usd(first) }))
    const once = responseEvents('one')
    await say(call, once)
    await say(call, [once.at(-1) ?? {}])
    await say(call, responseEvents('two'))
    const heard = { type: 'conversation.item.input_audio_transcription.completed', item_id: 'item_a', content_index: 0, transcript: 'hi' }
    const tokens = {
      type: 'tokens',
      input_tokens: 14,
      output_tokens: 5,
      total_tokens: 19,
      input_token_details: { text_tokens: 0, audio_tokens: 14 },
    }
    await say(call, [
      { ...heard, usage: tokens },
      { ...heard, usage: tokens },
    ])
    await say(call, [{ ...heard, item_id: 'item_b', usage: { type: 'duration', seconds: 2.5 } }])
    call.close(1000, 'enough')
    expect(await ending(client)).toEqual({ code: 1000, reason: 'enough' })
    const cost = 2n * ofOne + 14n * 32_000n + 5n * 16_000n + 3n * 100_000n
    // Readable from the moment the client sees the close.
    expect(await row()).toMatchObject({
      operation: 'realtime',
      dialect: 'openai',
      status: 101,
      end: 'complete',
      error: null,
      provenance: 'provider',
      cost: usd(cost),
      usage: {
        in: { fresh: 60, cacheRead: 128, audio: 64 },
        out: { total: 105, audio: 60 },
        units: { requests: 2, seconds: 3 },
      },
    })
    expect(await money()).toMatchObject({ balance: usd(10n ** 9n - cost), held: '0' })
  })

  test('nothing said, nothing charged', async () => {
    const { client, call, money, row } = await begin(10n ** 9n)
    client.socket.close(3001, 'bye')
    expect(await call.closed).toEqual({ code: 3001, reason: 'bye' })
    expect(await rowSoon(row)).toMatchObject({ cost: '0', end: 'complete', usage: null })
    expect(await money()).toMatchObject({ balance: '1', held: '0' })
  })

  test('the hold grows as the session does, and never beyond the balance', async () => {
    const { client, call, money } = await begin(10n ** 9n)
    const dear = { ...responseUsage, output_tokens: 4000, output_token_details: { text_tokens: 0, audio_tokens: 4000 } }
    await say(call, responseEvents('long', dear))
    await client.event('response.done')
    let held = 0
    for (let tries = 0; tries < 100 && held <= Number(usd(first)); tries++) {
      held = Number((await money()).held)
      await Bun.sleep(10)
    }
    // The amount spent plus one largest response is held.
    expect(held).toBeGreaterThan(Number(usd(first)) + 4000 * 64e-6)
    expect(held).toBeLessThanOrEqual(1)
  })

  test('ends with a word and 1008 when the money ends; all of it is charged, none owed', async () => {
    const { client, call, money, row } = await begin(first + first / 2n)
    const dear = { ...responseUsage, output_tokens: 3000, output_token_details: { text_tokens: 0, audio_tokens: 3000 } }
    await say(call, responseEvents('long', dear))
    expect(await ending(client)).toMatchObject({ code: 1008 })
    expect(client.events().at(-1)).toMatchObject({ type: 'error', error: { type: 'insufficient_quota', code: 'insufficient_quota' } })
    expect(client.events('response.done')).toHaveLength(1)
    expect((await call.closed).code).toBe(1001)
    const cost = 30n * 4000n + 64n * 400n + 25n * 32_000n + 3000n * 64_000n
    expect(await row()).toMatchObject({ cost: usd(cost), end: 'error', status: 101, error: { code: 'insufficient_quota' } })
    expect(await money()).toMatchObject({ balance: usd(first + first / 2n - cost), held: '0' })
  })

  test('what a client asks for waits for the money, and is not passed on without it', async () => {
    const { client, call } = await begin(first + 10n)
    const text = 'x'.repeat(100_000)
    const item = { type: 'message', role: 'user', content: [{ type: 'input_text', text }] }
    client.send({ type: 'conversation.item.create', item })
    client.send({ type: 'response.create' })
    expect(await ending(client)).toMatchObject({ code: 1008 })
    expect(call.frames).toEqual([])
  })

  test('a key that is disabled ends its sessions within five seconds', async () => {
    const { user, client, row } = await begin(10n ** 9n)
    const { data } = await user.session.call<{ data: { id: string }[] }>('GET', '/api/keys')
    await user.session.call('PATCH', `/api/keys/${data[0]?.id}`, { enabled: false })
    expect(await ending(client)).toMatchObject({ code: 1008 })
    expect(client.events().at(-1)).toMatchObject({ type: 'error', error: { code: 'invalid_api_key' } })
    expect(await row()).toMatchObject({ end: 'error', cost: '0', error: { code: 'invalid_api_key' } })
  })

  test('so does a user who is disabled', async () => {
    const { user, client } = await begin(10n ** 9n)
    await gateway.admin.call('PATCH', `/api/users/${user.id}`, { enabled: false })
    expect(await ending(client)).toMatchObject({ code: 1008 })
  })

  test('an upstream that breaks: 1014 and a word; what was said until then is charged as an estimate', async () => {
    const { client, call, money, row } = await begin(10n ** 9n)
    await say(call, responseEvents('four words were said').slice(0, -2))
    await client.received(6)
    call.cut()
    expect(await ending(client)).toMatchObject({ code: 1014 })
    expect(client.events().at(-1)).toMatchObject({ type: 'error', error: { code: 'upstream_error' } })
    // The assumed 1,024 tokens of context, and 20 bytes of text.
    const cost = 1024n * 4000n + 5n * 16_000n
    expect(await row()).toMatchObject({ end: 'cut', provenance: 'estimated', cost: usd(cost), error: { code: 'upstream_error' } })
    expect(await money()).toMatchObject({ balance: usd(10n ** 9n - cost), held: '0' })
  })

  test('a client that vanishes in the middle of a response: the upstream is left at once, the row says aborted', async () => {
    const { client, call, row } = await begin(10n ** 9n)
    await say(call, responseEvents('some words').slice(0, 2))
    await client.received(3)
    ;(client.socket as unknown as { terminate(): void }).terminate()
    expect((await call.closed).code).toBe(1001)
    expect(await rowSoon(row)).toMatchObject({ end: 'aborted', status: 499, provenance: 'estimated' })
  })

  test.each([
    [1000, 'done'],
    [1011, 'it broke inside'],
    [4002, 'session_expired'],
  ])('close %i and its reason pass from the upstream to the client', async (code, reason) => {
    const { client, call } = await begin(10n ** 9n)
    call.close(code, reason)
    expect(await ending(client)).toEqual({ code, reason })
  })

  test.each([
    [1000, 'done'],
    [3005, 'for a reason of mine'],
  ])('close %i and its reason pass from the client to the upstream', async (code, reason) => {
    const { client, call } = await begin(10n ** 9n)
    client.socket.close(code, reason)
    expect(await call.closed).toEqual({ code, reason })
  })
})

describe('slow readers', () => {
  const size = 32 * 1024
  const count = 3_000
  const numbered = (index: number) => `{"type":"x","n":${index},"pad":"${'p'.repeat(size)}"}`
  const numberOf = (frame: unknown) => Number(/"n":(\d+)/.exec(String(frame).slice(0, 40))?.[1])
  let gateway: Gateway
  let vendor: RealtimeVendor

  beforeAll(async () => {
    vendor = realtimeVendor((call) => call.send(sessionCreated))
    gateway = await startGateway(sampledEngine(`${import.meta.file} slow readers`))
    await gateway.channel('vendor', vendor.url, { models: [model] })
    await gateway.price(model, { input: '0', output: '0' })
  }, 90_000)
  afterAll(async () => {
    await gateway?.close()
    await vendor?.close()
  })

  const memory = async () => {
    const text = await Bun.file(`/proc/${gateway.program.pid}/status`).text()
    return Number(/VmRSS:\s+(\d+)/.exec(text)?.[1]) / 1024
  }
  const begin = async () => {
    const number = vendor.calls.length
    const client = await realtimeClient(`${gateway.url}/v1/realtime?model=${model}`, [], { authorization: `Bearer ${gateway.key}` })
    return { client, call: await vendor.call(number) }
  }

  /** The number once it has stayed the same for a second, however slow the machine is until then. */
  async function atRest(look: () => number): Promise<number> {
    for (let seconds = 0; seconds < 40; seconds++) {
      const before = look()
      await Bun.sleep(1_000)
      if (look() === before) return before
    }
    throw new Error('it did not come to rest')
  }

  test('a client that does not read stops the upstream; then everything comes, in order, and the memory stays flat', async () => {
    const { client, call } = await begin()
    await client.event('session.created')
    const before = await memory()
    ;(client.socket as unknown as { pause(): void }).pause()
    let sent = 0
    const sending = (async () => {
      for (; sent < count; sent++) await call.send(numbered(sent))
      call.close(1000, 'all of it')
    })()
    expect(await atRest(() => sent)).toBeLessThan(count)
    // Twenty times what may wait, far below the 96 MiB that wanted to pass.
    expect((await memory()) - before).toBeLessThan(64)
    ;(client.socket as unknown as { resume(): void }).resume()
    await sending
    expect(await client.closed).toEqual({ code: 1000, reason: 'all of it' })
    expect(client.frames.slice(1).map(numberOf)).toEqual(Array.from({ length: count }, (_, index) => index))
  }, 60_000)

  // Deno's server cannot stop reading a socket: what is held back is bounded, but not this low (docs/runtimes.md).
  test.skipIf(chosenRuntime === 'deno')(
    'an upstream that does not read stops the client',
    async () => {
      const { client, call } = await begin()
      call.pause()
      const before = await memory()
      for (let index = 0; index < count; index++) client.send(numbered(index))
      expect(await atRest(() => client.socket.bufferedAmount)).toBeGreaterThan(0)
      expect((await memory()) - before).toBeLessThan(64)
      call.resume()
      await call.received(count)
      expect(call.frames.map(numberOf)).toEqual(Array.from({ length: count }, (_, index) => index))
      client.socket.close()
    },
    60_000,
  )

  test('a frame of more than 16 MiB ends the session, not the process', async () => {
    const { client } = await begin()
    client.send('x'.repeat(16 * 1024 * 1024 + 1))
    expect((await client.closed).code).toBe(1009)
    expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200)
  }, 30_000)
})

describe('the end of the process', () => {
  const config = (vendor: RealtimeVendor) => `
channels: [{ name: v, vendor: openai-compatible, baseUrl: ${vendor.url}, keys: [sk-vendor], models: [${model}] }]
prices: { ${model}: { input: 4, output: 16 } }
users: [{ name: tester, balance: 5 }]
keys: [{ name: test, user: tester, key: sk-test-test-test }]
`
  const begin = async (program: Program) => {
    const client = await realtimeClient(`${program.url}/v1/realtime?model=${model}`, [], { authorization: 'Bearer sk-test-test-test' })
    await client.event('session.created')
    return client
  }

  test('SIGTERM: an idle session ends with 1012, a running response is heard to its end', async () => {
    const vendor = realtimeVendor((call) => call.send(sessionCreated))
    const database = await databaseOn(sampledEngine(`${import.meta.file} the end`))
    const program = await startProgram({ config: config(vendor), env: { ...administrator, ...database.env } })
    try {
      const [idle, busy] = [await begin(program), await begin(program)]
      const call = await vendor.call(1)
      const events = responseEvents('slowly but surely')
      for (const event of events.slice(0, 2)) await call.send(event)
      await busy.received(3)
      const stopped = program.stop()
      expect(await idle.closed).toMatchObject({ code: 1012 })
      for (const event of events.slice(2)) await call.send(event)
      expect(await busy.closed).toMatchObject({ code: 1012 })
      expect(busy.events('response.done')).toHaveLength(1)
      expect((await stopped).code).toBe(0)
    } finally {
      await program.stop()
      await vendor.close()
      await database.drop()
    }
  }, 60_000)

  test('SIGTERM: at the limit what still runs is ended with 1001', async () => {
    const vendor = realtimeVendor((call) => call.send(sessionCreated))
    const database = await databaseOn(sampledEngine(`${import.meta.file} the end`))
    const env = { ...administrator, ...database.env, PARLEY_DRAIN_SECONDS: '1' }
    const program = await startProgram({ config: config(vendor), env })
    try {
      const client = await begin(program)
      for (const event of responseEvents('for ever').slice(0, 2)) await (await vendor.call(0)).send(event)
      await client.received(3)
      const stopped = program.stop()
      expect(await client.closed).toMatchObject({ code: 1001 })
      expect((await stopped).code).toBe(0)
    } finally {
      await program.stop()
      await vendor.close()
      await database.drop()
    }
  }, 60_000)

  test('kill -9: the hold of a session is released by the next start', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'parley-realtime-'))
    const vendor = realtimeVendor((call) => call.send(sessionCreated))
    const database = await databaseOn(sampledEngine(`${import.meta.file} the end`))
    const options = { folder, config: config(vendor), env: { ...administrator, ...database.env } }
    let program = await startProgram(options)
    const tester = async () => {
      const signedIn = await fetch(`${program.url}/api/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ name: administrator.PARLEY_ADMIN_USER, password: administratorPassword }),
      })
      const cookie = (signedIn.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
      const users = (await (await fetch(`${program.url}/api/users`, { headers: { cookie } })).json()) as {
        data: { name: string; balance: string; held: string }[]
      }
      return users.data.find(({ name }) => name === 'tester')
    }
    try {
      const client = await begin(program)
      for (let tries = 0; (await tester())?.held === '0' && tries < 500; tries++) await Bun.sleep(20)
      expect(Number((await tester())?.held)).toBeGreaterThan(0)
      process.kill(program.pid, 'SIGKILL')
      expect((await client.closed).code).toBe(1006)
      expect((await (await vendor.call(0)).closed).code).toBe(1006)
      await program.stop()
      program = await startProgram(options)
      expect(await tester()).toMatchObject({ balance: '5', held: '0' })
    } finally {
      await program.stop()
      await vendor.close()
      await database.drop()
      rmSync(folder, { recursive: true, force: true })
    }
  }, 90_000)
})
