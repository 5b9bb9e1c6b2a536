/** The database goes away under load and comes back: clear refusals meanwhile, no crash, and everything goes on by itself. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connect, createServer, type Socket } from 'node:net'
import { engines } from '#testing/database'
import { newPostgresDatabase } from '#testing/postgres-server'
import { respondJson, wait } from '#testing/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/scripted-upstream'
import { type Gateway, startGateway, testModel } from './support/gateway.ts'

const answer = {
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Yes' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 2, completion_tokens: 1, total_tokens: 3 },
}

/** A way to a TCP server that can be closed: open connections break, new ones are refused. */
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

const chat = () =>
  fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: testModel, messages: [{ role: 'user', content: 'hi' }] }),
  })

const readiness = async () => (await fetch(`${gateway.url}/readyz`)).status

test.if(postgres)(
  'four seconds without it under load: 503 books_unavailable with Retry-After, alive, not ready, and back by itself',
  async () => {
    const said = new Map<string, number>()
    let done = false
    const load = [1, 2, 3, 4].map(async () => {
      while (!done) {
        const reply = await chat()
        const { error } = (await reply.json()) as { error?: { code: string } }
        const what = `${reply.status} ${error?.code ?? ''}`.trim()
        said.set(what, (said.get(what) ?? 0) + 1)
        if (reply.status === 503 && reply.headers.get('retry-after') === null) said.set('503 without Retry-After', 1)
        await wait(10)
      }
    })
    await wait(1_000)
    way.shut()
    await wait(1_500)
    expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200)
    expect(await readiness()).toBe(503)
    const refused = await chat()
    expect([refused.status, ((await refused.json()) as { error: { code: string } }).error.code]).toEqual([503, 'books_unavailable'])
    await wait(2_500)
    way.reopen()
    const started = performance.now()
    while ((await chat()).status !== 200 && performance.now() - started < 60_000) await wait(50)
    const ms = performance.now() - started
    done = true
    await Promise.all(load)
    console.log(`served again ${(ms / 1000).toFixed(1)} s after it was back; ${JSON.stringify(Object.fromEntries(said))}`)
    expect(ms).toBeLessThan(60_000)
    expect([...said.keys()].sort()).toEqual(['200', '503 books_unavailable'])
    expect(await readiness()).toBe(200)

    // What others change is heard again.
    const { key } = await gateway.user('after', '5')
    expect(key).toStartWith('sk-')
  },
  120_000,
)
