/** The process from an operator's view: draining, being killed, waking up after suspension. */
import { afterEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sampledEngine, sampledEngines } from '#testing/database/database'
import { administrator, administratorPassword, type Program, startProgram } from '#testing/program/program'
import { faults, stream, wait } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { databaseOn } from './support/gateway.ts'

const model = 'gpt-test'
const says = (content: string) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`
const finish = `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`

const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

/** Where a program runs, so that another one can be started in its place. */
async function newPlace(engine = sampledEngine(import.meta.file)) {
  const folder = mkdtempSync(join(tmpdir(), 'parley-process-'))
  const database = await databaseOn(engine)
  undo.push(() => rmSync(folder, { recursive: true, force: true }), database.drop)
  return { folder, env: { ...administrator, ...database.env } }
}

async function upstreamOf(): Promise<ScriptedUpstream> {
  const upstream = await scriptedUpstream()
  undo.push(() => upstream.close())
  return upstream
}

const config = (upstream: ScriptedUpstream, extra = '') => `
channels:
  - { name: first, vendor: openai-compatible, baseUrl: ${upstream.url}, keys: [sk-vendor], models: [${model}], priority: 1${extra} }
  - { name: second, vendor: openai-compatible, baseUrl: ${upstream.url}, keys: [sk-vendor], models: [${model}] }
prices:
  ${model}: { input: 1, output: 2 }
keys:
  - { name: test, user: tester, key: sk-test-test-test }
users:
  - { name: tester, balance: 5 }
`

const ask = (program: Program, streams = true, asked = model) =>
  fetch(`${program.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer sk-test-test-test', 'content-type': 'application/json' },
    body: JSON.stringify({ model: asked, stream: streams, messages: [{ role: 'user', content: 'hi' }] }),
  })

async function wallet(program: Program): Promise<{ balance: string; held: string }> {
  const signedIn = await fetch(`${program.url}/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: administrator.PARLEY_ADMIN_USER, password: administratorPassword }),
  })
  const cookie = (signedIn.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
  const users = (await (await fetch(`${program.url}/api/users`, { headers: { cookie } })).json()) as {
    data: { name: string; balance: string; held: string }[]
  }
  const tester = users.data.find((user) => user.name === 'tester')
  if (!tester) throw new Error('the user of the file is not there')
  return tester
}

test('SIGTERM: not ready any more, new work refused, the open stream finishes, exit code 0', async () => {
  const upstream = await upstreamOf()
  const released = Promise.withResolvers<void>()
  upstream.next(async (exchange) => {
    await exchange.head(200, { 'Content-Type': 'text/event-stream', 'Transfer-Encoding': 'chunked' })
    await exchange.chunk(says('before'))
    await released.promise
    await exchange.chunk(says('after') + finish)
    await exchange.lastChunk()
  })
  const program = await startProgram({ ...(await newPlace()), config: config(upstream) })
  const answer = await ask(program)
  const stopped = program.stop()
  for (let tries = 0; tries < 100 && (await fetch(`${program.url}/readyz`)).status === 200; tries++) await wait(20)
  expect(await (await fetch(`${program.url}/readyz`)).json()).toEqual({ status: 'draining' })
  // A client that polls readiness is a balancer: until it got the answer three times, new requests are accepted.
  for (let tries = 0; tries < 100 && (await ask(program, true, 'nobody-has-it')).status !== 503; tries++) await wait(20)
  const refused = await ask(program)
  expect(refused.status).toBe(503)
  expect(refused.headers.get('retry-after')).toBeString()
  released.resolve()
  expect(await answer.text()).toBe(says('before') + says('after') + finish)
  expect((await stopped).code).toBe(0)
}, 60_000)

test('a second SIGTERM is fast: the open stream ends with an error that says so, and is charged for what came', async () => {
  const upstream = await upstreamOf()
  upstream.next(stream([says('12345678')], { ending: 'hang' }))
  const place = await newPlace()
  const first = await startProgram({ ...place, config: config(upstream) })
  const answer = await ask(first)
  const stopped = first.stop()
  // Closer together they are one signal that came by two ways.
  await wait(1_500)
  const started = performance.now()
  process.kill(first.pid, 'SIGTERM')
  const text = await answer.text()
  expect(text).toMatch(/12345678.*"code":"overloaded".*data: \[DONE\]\n\n$/s)
  expect((await stopped).code).toBe(0)
  const ms = performance.now() - started
  console.log(`ended ${ms.toFixed(0)} ms after the second signal`)
  expect(ms).toBeLessThan(10_000)

  const second = await startProgram({ ...place, config: config(upstream) })
  undo.push(() => second.stop())
  const after = await wallet(second)
  expect(after.held).toBe('0')
  expect(Number(after.balance)).toBeLessThan(5)
}, 60_000)

test('the drain limit ends what is still open in the same way', async () => {
  const upstream = await upstreamOf()
  upstream.next(stream([says('12345678')], { ending: 'hang' }))
  const { folder, env } = await newPlace()
  const program = await startProgram({ folder, config: config(upstream), env: { ...env, PARLEY_DRAIN_SECONDS: '1' } })
  const answer = await ask(program)
  const stopped = program.stop()
  expect(await answer.text()).toMatch(/12345678.*"code":"overloaded".*data: \[DONE\]\n\n$/s)
  expect((await stopped).code).toBe(0)
}, 60_000)

test.each(sampledEngines(import.meta.file))(
  'kill -9 with open holds: the next start on the same folder releases them (%s)',
  async (engine) => {
    const upstream = await upstreamOf()
    const place = await newPlace(engine)
    upstream.answer(faults.hang)
    const first = await startProgram({ ...place, config: config(upstream) })
    const pending = [1, 2, 3].map(() => ask(first).catch(() => undefined))
    await upstream.received(2)
    // Open holds are reported with a delay of up to a second.
    for (let tries = 0; (await wallet(first)).held === '0' && tries < 500; tries++) await Bun.sleep(20)
    expect(Number((await wallet(first)).held)).toBeGreaterThan(0)
    process.kill(first.pid, 'SIGKILL')
    await Promise.all(pending)
    await first.stop()
    const second = await startProgram({ ...place, config: config(upstream) })
    undo.push(() => second.stop())
    expect(await wallet(second)).toMatchObject({ held: '0', balance: '5' })
    upstream.answer(stream([says('x'), finish]))
    expect((await ask(second)).status).toBe(200)
  },
  90_000,
)

test('a client that waited 15 s gets a sign of life, and another channel may still answer', async () => {
  const upstream = await upstreamOf()
  upstream.next(faults.hang, stream([says('second'), finish]))
  const program = await startProgram({ ...(await newPlace()), config: config(upstream, ', timeouts: { firstEvent: 16 }') })
  undo.push(() => program.stop())
  const started = performance.now()
  const answer = await ask(program)
  const waited = performance.now() - started
  expect(waited).toBeGreaterThan(14_500)
  console.log(`head committed after ${(waited / 1000).toFixed(1)} s`)
  expect(await answer.text()).toBe(`: keep-alive\n\n${says('second')}${finish}`)
}, 60_000)
