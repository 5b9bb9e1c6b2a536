/**
 * The database becomes unavailable under load and returns: keys in use continue within their leases and all their requests are in the books
 * afterwards, other keys are refused with a clear error, nothing crashes, and everything recovers by itself.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connect, createServer, type Socket } from 'node:net'
import { engines } from '#testing/database/database'
import { newPostgresDatabase } from '#testing/database/postgres-server'
import { isDeep } from '#testing/sample'
import { respondJson, wait } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { chatAnswer } from './support/chat-answer.ts'
import { type Gateway, startGateway, testModel } from './support/gateway.ts'

const answer = chatAnswer()

/** A TCP proxy that can be closed: open connections break, new ones are refused. */
async function gate(host: string, port: number) {
  const open = new Set<Socket>()
  let closed = false
  const server = createServer((near) => {
    if (closed) return void near.resetAndDestroy()
    const far = connect(port, host)
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one)
      one.on('error', () => other.destroy()).on('close', () => open.delete(one) && other.destroy())
      one.pipe(other)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    shut() {
      closed = true
      for (const socket of [...open]) socket.resetAndDestroy()
    },
    reopen() {
      closed = false
    },
    end() {
      for (const socket of [...open]) socket.destroy()
      server.close()
    },
  }
}

const postgres = engines.includes('postgres')
let upstream: ScriptedUpstream
let gateway: Gateway
let way: Awaited<ReturnType<typeof gate>>
let drop: () => Promise<void>

beforeAll(async () => {
  if (!postgres) return
  const database = await newPostgresDatabase()
  drop = database.drop
  const url = new URL(database.url)
  way = await gate(url.hostname, Number(url.port))
  url.port = String(way.port)
  upstream = await scriptedUpstream(respondJson(200, answer))
  gateway = await startGateway('embedded', { env: { DATABASE_URL: url.href } })
  await gateway.channel('only', upstream.url)
  await gateway.price(testModel)
}, 90_000)

afterAll(async () => {
  way?.reopen()
  await gateway?.close()
  way?.end()
  await upstream?.close()
  await drop?.()
})

const chat = (key = gateway.key) =>
  fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: testModel, messages: [{ role: 'user', content: 'hi' }] }),
  })

async function outcome(reply: Response): Promise<string> {
  const { error } = (await reply.json()) as { error?: { code: string } }
  const early = reply.status === 503 && reply.headers.get('retry-after') === null ? ' without Retry-After' : ''
  return `${reply.status} ${error?.code ?? ''}`.trim() + early
}

async function readiness(): Promise<[number, string]> {
  const reply = await fetch(`${gateway.url}/readyz`)
  return [reply.status, ((await reply.json()) as { status: string }).status]
}

async function loggedIds(): Promise<Set<string>> {
  const ids = new Set<string>()
  let next: string | null = ''
  while (next !== null) {
    type Page = { data: { requestId: string }[]; next: string | null }
    const page: Page = await gateway.admin.call<Page>(
      'GET',
      `/api/logs?limit=200${next === '' ? '' : `&after=${encodeURIComponent(next)}`}`,
    )
    for (const { requestId } of page.data) ids.add(requestId)
    next = page.next
  }
  return ids
}

const awaySeconds = Number(process.env.PARLEY_AWAY_SECONDS ?? (isDeep ? 20 : 8))
/** Nano-dollars: two tokens in at 1 USD, one out at 2 USD per million. */
const cost = 4000
const balance = async () => (await gateway.admin.call<{ user: { balance: string } }>('GET', '/api/session')).user.balance

test.if(postgres)(
  `${awaySeconds} seconds without it under load: keys in use go on, cold ones hear 503, all is in the books afterwards`,
  async () => {
    const cold = await gateway.user('cold', '5')
    const answered: string[] = []
    const said = new Map<string, number>()
    let done = false
    const load = [1, 2, 3, 4].map(async () => {
      while (!done) {
        const reply = await chat()
        if (reply.status === 200) answered.push(reply.headers.get('x-request-id') ?? '')
        const what = await outcome(reply)
        said.set(what, (said.get(what) ?? 0) + 1)
        await wait(40)
      }
    })
    await wait(2_000)
    const before = answered.length
    way.shut()
    await wait(3_000)
    expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200)
    expect(await readiness()).toEqual([200, 'degraded'])
    expect(await outcome(await chat(cold.key))).toBe('503 books_unavailable')
    expect(await readiness()).toEqual([200, 'degraded'])
    await wait((awaySeconds - 3) * 1_000)
    done = true
    await Promise.all(load)
    const without = answered.length - before
    // From now on only keys that cannot be served send requests.
    let last = await readiness()
    for (let tries = 0; last[0] === 200 && tries < 100; tries++) {
      expect(await outcome(await chat(cold.key))).toBe('503 books_unavailable')
      await wait(100)
      last = await readiness()
    }
    expect(last).toEqual([503, 'unavailable'])
    way.reopen()
    const started = performance.now()
    while ((await chat(cold.key)).status !== 200 && performance.now() - started < 60_000) await wait(50)
    const ms = performance.now() - started
    console.log(`${without} answers without it; served again ${(ms / 1000).toFixed(1)} s after it was back; ${JSON.stringify([...said])}`)
    expect(ms).toBeLessThan(60_000)
    expect([...said.keys()]).toEqual(['200'])
    expect(without).toBeGreaterThan(awaySeconds * 5)
    expect(await readiness()).toEqual([200, 'ready'])

    const right = (100 - (answered.length * cost) / 1e9).toFixed(9).replace(/\.?0+$/, '')
    for (let tries = 0; (await balance()) !== right && tries < 200; tries++) await wait(50)
    expect(await balance()).toBe(right)
    const ids = await loggedIds()
    expect(answered.filter((id) => !ids.has(id))).toEqual([])

    // Changes by other instances are received again.
    const { key } = await gateway.user('after', '5')
    expect(key).toStartWith('sk-')
  },
  160_000 + awaySeconds * 1_000,
)
