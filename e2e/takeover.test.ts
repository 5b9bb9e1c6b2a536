/** Several processes on one port: a new one takes over from an old one under load; a port that another program uses stays theirs. */
import { afterEach, expect, test } from 'bun:test'
import { engines } from '#testing/database/database'
import { newPostgresDatabase } from '#testing/database/postgres-server'
import { freePort } from '#testing/free-port'
import { runToExit, startProgram } from '#testing/program/program'
import { stream, wait } from '#testing/upstream/scripted-answers'
import { scriptedUpstream } from '#testing/upstream/scripted-upstream'

const model = 'gpt-test'
const says = (content: string) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`
const finish = `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`
const answered = says('x') + finish

const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

const config = (upstream: string) => `
channels: [{ name: only, vendor: openai-compatible, baseUrl: "${upstream}", keys: [sk-vendor], models: [${model}] }]
prices: { ${model}: { input: 1, output: 2 } }
users: [{ name: tester, balance: 5 }]
keys: [{ name: test, user: tester, key: sk-test-test-test }]
`

/** Connections that the kernel reset before they were accepted: closing a listener drops its queue. */
let resets = 0

/** Reconnects if no byte was received, as every SDK does. */
const patient = (port: number) =>
  ask(port).catch(() => {
    resets += 1
    return ask(port)
  })

const ask = (port: number) =>
  fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer sk-test-test-test', 'content-type': 'application/json' },
    body: JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'hi' }] }),
  })

async function installation() {
  const database = await newPostgresDatabase()
  undo.push(database.drop)
  const upstream = await scriptedUpstream(stream([says('x'), finish]))
  undo.push(() => upstream.close())
  const port = await freePort()
  const env = {
    DATABASE_URL: database.url,
    PARLEY_MASTER_KEY: 'cd'.repeat(32),
    PARLEY_PORT: String(port),
    PARLEY_REUSE_PORT: 'on',
  }
  return { upstream, port, env, config: config(upstream.url) }
}

test.if(engines.includes('postgres'))(
  'a new process takes the port over under load: no request fails, no stream is cut',
  async () => {
    const { upstream, port, env, config: text } = await installation()
    const old = await startProgram({ config: text, env })
    undo.push(() => old.stop())

    const failures: string[] = []
    let asked = 0
    let done = false
    const load = Array.from({ length: 8 }, async () => {
      while (!done) {
        const said = await patient(port).then(
          async (answer) => `${answer.status} ${await answer.text()}`,
          (thrown) => String(thrown),
        )
        asked += 1
        if (said !== `200 ${answered}`) failures.push(said.slice(0, 200))
        await wait(60)
      }
    })
    const released = Promise.withResolvers<void>()
    upstream.next(async (exchange) => {
      await exchange.head(200, { 'Content-Type': 'text/event-stream', 'Transfer-Encoding': 'chunked' })
      await exchange.chunk(says('long'))
      await released.promise
      await exchange.chunk(finish)
      await exchange.lastChunk()
    })
    await wait(1_000)
    const fresh = await startProgram({ config: text, env })
    undo.push(() => fresh.stop())
    await wait(1_000)
    const stopped = old.stop()
    await wait(4_000)
    released.resolve()
    expect((await stopped).code).toBe(0)
    await wait(1_000)
    done = true
    await Promise.all(load)
    console.log(`${asked} requests, ${failures.length - 1} failed, ${resets} connections made anew`)
    // The one long request is among them, since its answer differs.
    expect(failures.filter((said) => said !== `200 ${says('long')}${finish}`)).toEqual([])
    expect(failures).toHaveLength(1)
    expect(resets).toBeLessThan(asked / 50)
    expect(asked).toBeGreaterThan(200)
  },
  90_000,
)

test.if(engines.includes('postgres'))(
  'a port of another program is refused in one line, shared or not',
  async () => {
    const { port, env, config: text } = await installation()
    const foreign = Bun.serve({ hostname: '127.0.0.1', port, fetch: () => new Response('mine') })
    undo.push(() => foreign.stop(true))
    const { code, stderr } = await runToExit({ config: text, env })
    expect([code, stderr]).toEqual([1, `Parley cannot start: 127.0.0.1:${port} is already in use; set PARLEY_PORT to another port\n`])
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('mine')
  },
  60_000,
)

test.if(engines.includes('postgres'))(
  'a second Parley by mistake is refused: without the switch it finds the port in use, with it but the same folder the folder',
  async () => {
    const { port, env, config: text } = await installation()
    const first = await startProgram({ config: text, env })
    undo.push(() => first.stop())
    const { PARLEY_REUSE_PORT: _, DATABASE_URL: __, ...alone } = env
    const unshared = await runToExit({ env: alone })
    expect([unshared.code, unshared.stderr]).toEqual([
      1,
      `Parley cannot start: 127.0.0.1:${port} is already in use; set PARLEY_PORT to another port\n`,
    ])
    const again = await runToExit({ env: { ...env, PARLEY_DATA: `${first.folder}/data` } })
    expect(again.code).toBe(1)
    expect(again.stderr).toContain('is used by another Parley')
    const answer = await ask(port)
    expect(await answer.text()).toBe(answered)
  },
  60_000,
)
