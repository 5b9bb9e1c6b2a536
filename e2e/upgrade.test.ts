/**
 * Two instances behind one address are replaced one after the other while requests and streams go on. The balancer in front is as plain
 * as `deploy/proxy/haproxy.cfg`: it asks `/readyz` twice a second, leaves out who failed two checks, and repeats nothing that was sent.
 */
import { afterEach, expect, test } from 'bun:test'
import { connect, createServer, type Socket } from 'node:net'
import { engines } from '#testing/database/database'
import { newPostgresDatabase } from '#testing/database/postgres-server'
import { freePort } from '#testing/free-port'
import { type Program, startProgram } from '#testing/program/program'
import { stream, wait } from '#testing/upstream/scripted-answers'
import { scriptedUpstream } from '#testing/upstream/scripted-upstream'

const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

const model = 'gpt-test'
const says = (content: string) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`
const finish = `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`
const config = (upstream: string) => `
channels: [{ name: only, vendor: openai-compatible, baseUrl: "${upstream}", keys: [sk-vendor], models: [${model}] }]
prices: { ${model}: { input: 1, output: 2 } }
users: [{ name: tester, balance: 50 }]
keys: [{ name: test, user: tester, key: sk-test-test-test }]
`

/** One address for several: passes connections on to those that are up, in turns. A connection carries one request. */
async function balancer(ports: readonly number[]) {
  const failed = new Map(ports.map((port) => [port, 2]))
  const taken = new Map(ports.map((port) => [port, 0]))
  let turn = 0
  const checks = setInterval(() => {
    for (const port of ports) {
      const limit = AbortSignal.timeout(2_000)
      fetch(`http://127.0.0.1:${port}/readyz`, { signal: limit }).then(
        ({ ok }) => failed.set(port, ok ? 0 : (failed.get(port) ?? 0) + 1),
        () => failed.set(port, 2),
      )
    }
  }, 500)
  const up = () => ports.filter((port) => (failed.get(port) ?? 2) < 2)
  const server = createServer((client: Socket) => {
    const choices = up()
    const port = choices[turn++ % Math.max(1, choices.length)]
    if (port === undefined) return client.destroy()
    taken.set(port, (taken.get(port) ?? 0) + 1)
    const behind = connect(port, '127.0.0.1')
    for (const [from, to] of [
      [client, behind],
      [behind, client],
    ] as const)
      from.on('error', () => to.destroy()).on('close', () => to.destroy())
    client.pipe(behind).pipe(client)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  undo.push(() => {
    clearInterval(checks)
    server.close()
  })
  const address = server.address()
  return { port: typeof address === 'object' ? (address?.port ?? 0) : 0, up, taken }
}

async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; tries < 1_200; tries++) {
    if (holds()) return
    await wait(50)
  }
  throw new Error('it did not come to be within a minute')
}

test.if(engines.includes('postgres'))(
  'both instances are replaced under load: no request fails, no stream is cut, each was served by both',
  async () => {
    const database = await newPostgresDatabase()
    undo.push(database.drop)
    const upstream = await scriptedUpstream(stream([says('x'), finish]))
    undo.push(() => upstream.close())
    const ports = [await freePort(), await freePort()]
    const text = config(upstream.url)
    const start = (port: number) =>
      startProgram({ config: text, env: { DATABASE_URL: database.url, PARLEY_MASTER_KEY: 'cd'.repeat(32), PARLEY_PORT: String(port) } })
    const running: Program[] = []
    for (const port of ports) running.push(await start(port))
    undo.push(() => Promise.all(running.map((each) => each.stop())))
    const front = await balancer(ports)
    await until(() => front.up().length === 2)

    const ask = () =>
      fetch(`http://127.0.0.1:${front.port}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: 'Bearer sk-test-test-test', 'content-type': 'application/json', connection: 'close' },
        body: JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'hi' }] }),
      }).then(
        async (answer) => `${answer.status} ${await answer.text()}`,
        (thrown) => String(thrown),
      )
    // A stream that lasts longer than the checks need to notice.
    const released = Promise.withResolvers<void>()
    const began = Promise.withResolvers<void>()
    upstream.next(async (exchange) => {
      await exchange.head(200, { 'Content-Type': 'text/event-stream', 'Transfer-Encoding': 'chunked' })
      await exchange.chunk(says('long'))
      began.resolve()
      await released.promise
      await exchange.chunk(finish)
      await exchange.lastChunk()
    })
    const long = ask()
    await began.promise

    const failures: string[] = []
    let asked = 0
    let isDone = false
    const load = Array.from({ length: 6 }, async () => {
      while (!isDone) {
        const said = await ask()
        asked += 1
        if (said !== `200 ${says('x')}${finish}`) failures.push(said.slice(0, 200))
        await wait(40)
      }
    })

    for (const [at, port] of ports.entries()) {
      const before = asked
      await until(() => asked > before + 20)
      const stopped = running[at]?.stop()
      await until(() => front.up().length === 1)
      if (at === 0) released.resolve()
      expect((await stopped)?.code).toBe(0)
      const alone = asked
      await until(() => asked > alone + 20)
      const taken = front.taken.get(port) ?? 0
      running[at] = await start(port)
      await until(() => front.up().length === 2)
      await until(() => (front.taken.get(port) ?? 0) > taken + 10)
    }
    isDone = true
    await Promise.all(load)
    expect(await long).toBe(`200 ${says('long')}${finish}`)
    expect(failures).toEqual([])
  },
  180_000,
)
