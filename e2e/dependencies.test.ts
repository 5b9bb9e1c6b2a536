/**
 * Failures of what the gateway depends on: its database in every way, its log output, and the limit of open files. Requests are answered,
 * or refused at once with a clear error; afterwards everything recovers by itself, the books are correct, and no answered request is
 * missing from them.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { type FaultyDatabase, faultyDatabase } from '#testing/books/faulty-database'
import { type EngineName, engines, sampledEngine } from '#testing/database/database'
import { freePort } from '#testing/free-port'
import { administrator, runToExit, startProgram } from '#testing/program/program'
import { gate, respondJson, wait } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { chatAnswer } from './support/chat-answer.ts'
import { databaseOn, type Gateway, startGateway, testModel } from './support/gateway.ts'
import { type RawClient, rawClient, soon } from './support/raw-client.ts'

const good = respondJson(200, chatAnswer({ prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 }))
/** The cost of one request at 1 and 2 USD per million tokens, in nano-dollars. */
const costOfOne = 120_000n
const balance = '5'
const nano = (usd: string) => BigInt(Math.round(Number(usd) * 1e9))

/** Milliseconds allowed for a refusal: a database call times out after two seconds. */
const patience = 40_000

interface Said {
  status: number
  code: string | undefined
  requestId: string
  retryAfter: string | null
  ms: number
}

async function ask(url: string, key: string): Promise<Said> {
  const begun = performance.now()
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: testModel, messages: [{ role: 'user', content: 'hi' }], max_tokens: 100 }),
  })
  const { error } = (await answer.json()) as { error?: { code: string } }
  const [requestId, retryAfter] = [answer.headers.get('x-request-id') ?? '', answer.headers.get('retry-after')]
  return { status: answer.status, code: error?.code, requestId, retryAfter, ms: performance.now() - begun }
}

const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

const counted = (all: readonly Said[]) =>
  [...Map.groupBy(all, ({ status, code }) => `${status} ${code ?? ''}`.trim())].map(([what, some]) => `${some.length} x ${what}`).join(', ')

describe.if(engines.includes('postgres'))('the database', () => {
  let database: FaultyDatabase
  let upstream: ScriptedUpstream
  let gateway: Gateway
  let users = 0

  beforeAll(async () => {
    database = await faultyDatabase()
    upstream = await scriptedUpstream(good)
    gateway = await startGateway('embedded', { env: { DATABASE_URL: database.url } })
    await gateway.channel('only', upstream.url)
    await gateway.price(testModel)
  }, 90_000)

  beforeEach(() => upstream.answer(good))

  afterAll(async () => {
    await database?.mend()
    await gateway?.close()
    await upstream?.close()
    await database?.drop()
  })

  /** Sends requests without end on several connections at once. */
  function load(key: string) {
    const all: Said[] = []
    let done = false
    const lines = [1, 2, 3, 4].map(async () => {
      while (!done) {
        all.push(await ask(gateway.url, key))
        await wait(60)
      }
    })
    return {
      all,
      async stop() {
        done = true
        await Promise.all(lines)
      },
    }
  }

  const status = async (path: string) => (await fetch(gateway.url + path)).status

  /** Causes a fault under load and ends it; checks the answers meanwhile and the books afterwards. */
  async function through(fault: () => Promise<unknown>, end: () => unknown, ms = 2_000): Promise<Said[]> {
    const { key, id } = await gateway.user(`payer-${++users}`, balance)
    const load_ = load(key)
    // The fault comes in the middle of a load that is being served.
    const isServed = await soon(() => load_.all.length >= 4, 20_000)
    await wait(300)
    await fault()
    await wait(ms)
    expect(await status('/healthz')).toBe(200)
    await end()
    const begun = performance.now()
    expect(await soon(async () => (await status('/readyz')) === 200 && (await ask(gateway.url, key)).status === 200, 60_000)).toBe(true)
    const seconds = (performance.now() - begun) / 1000
    await load_.stop()
    const slowest = Math.max(...load_.all.map(({ ms }) => ms))
    console.log(`served again after ${seconds.toFixed(1)} s; slowest ${(slowest / 1000).toFixed(1)} s; ${counted(load_.all)}`)
    expect(isServed).toBe(true)
    expect(slowest).toBeLessThan(patience)
    for (const { status, code, retryAfter } of load_.all) {
      expect([200, 503]).toContain(status)
      if (status === 503) expect([code, retryAfter === null]).toEqual(['books_unavailable', false])
    }
    await areWhole(id, load_.all)
    return load_.all
  }

  /** No answered request is missing, each is charged once, and nothing is held any more. */
  async function areWhole(user: string, all: readonly Said[]): Promise<void> {
    const answered = all.filter(({ status }) => status === 200)
    const missing = new Set(answered.map(({ requestId }) => requestId))
    const lookFor = async (requestId: string) => {
      if ((await gateway.admin.raw('GET', `/api/logs/${requestId}`)).status === 200) missing.delete(requestId)
    }
    const areThere = async () => {
      await Promise.all([...missing].map(lookFor))
      return missing.size === 0
    }
    expect(await soon(areThere, 30_000)).toBe(true)
    const wallet = async () => {
      const { data } = await gateway.admin.call<{ data: { id: string; balance: string; held: string }[] }>('GET', '/api/users?limit=200')
      return data.find(({ id }) => id === user)
    }
    expect(await soon(async () => (await wallet())?.held === '0', 30_000)).toBe(true)
    // The probes for recovery are answered requests too.
    const spent = nano(balance) - nano((await wallet())?.balance ?? '')
    expect(spent % costOfOne).toBe(0n)
    expect(spent >= BigInt(answered.length) * costOfOne).toBe(true)
    expect(await soon(async () => (await database.wrongs()).length === 0, 30_000)).toBe(true)
  }

  const written = ['accounts', 'leases', 'entries', 'logs']

  test('is away for two seconds, as in a restart', async () => {
    await through(async () => {
      await database.cut()
      await database.endConnections()
    }, database.mend)
  }, 120_000)

  test('breaks every connection, again and again', async () => {
    await through(
      async () => {
        for (let times = 0; times < 10; times++) {
          await database.endConnections()
          await wait(150)
        }
      },
      () => undefined,
      0,
    )
  }, 120_000)

  test('takes no writes, as after a failover (25006)', async () => {
    await through(
      () => database.readOnly(true),
      () => database.readOnly(false),
    )
  }, 120_000)

  test('has a full disk (53100)', async () => {
    await through(
      () => database.failWrites(written, '53100'),
      () => database.failWrites(written, undefined),
    )
  }, 120_000)

  test.each(['40001', '40P01'])(
    'gives up one write in three (%s)',
    async (state) => {
      const all = await through(
        () => database.failWrites(written, state, 3),
        () => database.failWrites(written, undefined),
      )
      expect(all.filter(({ status }) => status === 200).length).toBeGreaterThan(0)
    },
    120_000,
  )

  test('takes five seconds for every answer', async () => {
    await through(
      async () => database.slow(5_000),
      () => database.slow(0),
      6_000,
    )
  }, 120_000)

  test('makes all requests wait: no connection of the pool is left', async () => {
    let release: (() => Promise<void>) | undefined
    await through(
      async () => {
        release = await database.lock(['accounts', 'leases'])
      },
      () => release?.(),
      6_000,
    )
  }, 120_000)

  test('is lost between hold and settlement: the answer is given and booked', async () => {
    const { key, id } = await gateway.user(`payer-${++users}`, balance)
    const held = gate(good)
    upstream.answer(held.script)
    const asked = [1, 2, 3].map(() => ask(gateway.url, key))
    expect(await soon(() => held.waiting() === 3)).toBe(true)
    await database.cut()
    held.open()
    const all = await Promise.all(asked)
    expect(all.map(({ status }) => status)).toEqual([200, 200, 200])
    await database.mend()
    expect(await soon(async () => (await status('/readyz')) === 200, 60_000)).toBe(true)
    await areWhole(id, all)
  }, 120_000)
})

test.if(engines.includes('postgres'))(
  'a database that is not there at start, or does not speak, is one clear line; once it does, the start succeeds',
  async () => {
    const database = await faultyDatabase()
    undo.push(database.drop)
    const options = { env: { ...administrator, DATABASE_URL: database.url } }
    const { host } = new URL(database.url)
    await database.cut()
    const away = await runToExit(options)
    await database.mend()
    database.slow(60_000)
    const mute = await runToExit(options)
    database.slow(0)
    const line = (why: string) => [1, `Parley cannot start: cannot reach the database at ${host}: ${why}\n`]
    expect([away.code, away.stderr]).toEqual(line('nothing listens there'))
    expect([mute.code, mute.stderr]).toEqual(line('no answer within 20 seconds'))
    const program = await startProgram(options)
    expect((await program.stop()).code).toBe(0)
  },
  120_000,
)

/** A program whose shell does something first, with a channel; its output may go nowhere. */
async function restricted(shell: string, upstream: ScriptedUpstream, engine: EngineName) {
  const config = JSON.stringify({
    channels: [{ name: 'only', vendor: 'openai-compatible', baseUrl: upstream.url, keys: ['sk-vendor'], models: [testModel] }],
    prices: { [testModel]: { input: '1', output: '2' } },
    users: [{ name: 'payer', balance }],
    keys: [{ name: 'of payer', user: 'payer', key: 'sk-of-the-payer' }],
  })
  const database = await databaseOn(engine)
  undo.push(database.drop)
  const env = { ...database.env, PARLEY_LOG: 'debug', PARLEY_PORT: String(await freePort()), PARLEY_MAX_IDLE: '2s' }
  const program = await startProgram({ config, env, shell })
  undo.push(() => program.stop())
  return program
}

describe('the log', () => {
  test.each([
    ['a full disk', 'exec "$@" >/dev/full'],
    ['a full disk, errors too', 'exec "$@" >/dev/full 2>/dev/full'],
    ['a pipe that nobody reads any more', 'exec "$@" > >(exec true)'],
    ['nowhere', 'exec "$@" >&- 2>&-'],
  ])(
    'goes to %s: the service goes on',
    async (_, shell) => {
      const upstream = await scriptedUpstream(good)
      undo.push(() => upstream.close())
      const program = await restricted(
        shell.includes('>(') ? `exec bash -c '${shell}' bash "$@"` : shell,
        upstream,
        sampledEngine(import.meta.file),
      )
      for (let asked = 0; asked < 20; asked++) {
        expect((await ask(program.url, 'sk-of-the-payer')).status).toBe(200)
        // Each refusal logs one line.
        expect((await ask(program.url, 'sk-of-nobody')).status).toBe(401)
        await wait(20)
      }
      expect((await fetch(`${program.url}/healthz`)).status).toBe(200)
      expect((await program.stop()).code).toBe(0)
    },
    60_000,
  )
})

test('no more files can be opened: no open connection is dropped, and afterwards all are served again', async () => {
  const upstream = await scriptedUpstream(good)
  undo.push(() => upstream.close())
  const files = 256
  const program = await restricted(`ulimit -n ${files}; exec "$@"`, upstream, 'embedded')
  expect((await ask(program.url, 'sk-of-the-payer')).status).toBe(200)
  const held = gate(good)
  upstream.answer(held.script)
  const there = ask(program.url, 'sk-of-the-payer')
  expect(await soon(() => held.waiting() === 1)).toBe(true)

  const crowd: RawClient[] = []
  for (let count = 0; count < 350; count++) {
    const one = await rawClient(program.url, { keep: false })
    one.send('GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
    crowd.push(one)
  }
  await wait(1_000)
  const served = crowd.filter((one) => one.received() > 0).length
  held.open()
  upstream.answer(good)
  expect((await there).status).toBe(200)
  for (const one of crowd) one.leave()
  const begun = performance.now()
  // Twenty in a row: what needed a file in that moment tries again by itself.
  let row = 0
  const isServed = async () => {
    const said = await ask(program.url, 'sk-of-the-payer').catch(() => undefined)
    row = said?.status === 200 ? row + 1 : 0
    return row === 20
  }
  expect(await soon(isServed, 60_000)).toBe(true)
  const ms = (performance.now() - begun).toFixed(0)
  console.log(`${served} of ${crowd.length} served at ${files} files; twenty served in a row ${ms} ms after they had left`)
  expect(served).toBeWithin(1, files)
  expect((await program.stop()).code).toBe(0)
}, 90_000)
