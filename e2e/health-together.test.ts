/**
 * What one instance learns about a channel is known to the other within a second: breakers, rate-limited and rejected keys, and resets. Two
 * programs on one PostgreSQL; their consoles, and the requests that reach the upstream, show what each instance knows.
 */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { newPostgresDatabase } from '#testing/database/postgres-server'
import { administrator, type Program, startProgram } from '#testing/program/program'
import { respondJson, wait } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { chatAnswer } from './support/chat-answer.ts'
import { type Gateway, startGateway, testModel } from './support/gateway.ts'

/** In milliseconds; twenty times the guarantee. */
const knownWithin = 20_000

const answer = chatAnswer()
const well = respondJson(200, answer)

let upstream: ScriptedUpstream
let first: Gateway
let second: Program
let database: { url: string; drop(): Promise<void> }
let channel: string

beforeAll(async () => {
  upstream = await scriptedUpstream(well)
  database = await newPostgresDatabase()
  const env = { ...administrator, DATABASE_URL: database.url, PARLEY_MASTER_KEY: '07'.repeat(32), PARLEY_DEMO: 'off' }
  first = await startGateway('embedded', { env })
  second = await startProgram({ env })
  channel = (await first.channel('only', upstream.url, { keys: ['sk-one'] })).id
  await first.price(testModel)
}, 120_000)

afterEach(() => upstream.answer(well))

afterAll(async () => {
  await second?.stop()
  await first?.close()
  await database?.drop()
  await upstream?.close()
})

const ask = (url: string) =>
  fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${first.key}` },
    body: JSON.stringify({ model: testModel, messages: [{ role: 'user', content: 'Well?' }] }),
  })

interface Ailment {
  key: string | null
  model: string | null
  state: string
  cause: string
  retryInMs: number
}

/** The console of either instance accepts the same cookie: sessions are shared. */
async function ailments(url: string): Promise<Ailment[]> {
  const { data } = (await (await fetch(`${url}/api/channels/${channel}/health`, { headers: { cookie: first.admin.cookie } })).json()) as {
    data: Ailment[]
  }
  return data
}

async function known(what: string, look: () => Promise<boolean>): Promise<void> {
  const begun = performance.now()
  while (!(await look())) {
    if (performance.now() - begun > knownWithin) throw new Error(`${what}: not known after ${knownWithin} ms`)
    await wait(10)
  }
  console.log(`${what}: known after ${Math.round(performance.now() - begun)} ms`)
}

/** Waits until both instances know the channel and consider it healthy. */
async function afresh(): Promise<void> {
  await known('the channel on both', async () => (await ask(second.url)).status === 200)
  await first.admin.call('POST', `/api/channels/${channel}/reset`)
  await known('nothing on both', async () => (await ailments(first.url)).length + (await ailments(second.url)).length === 0)
}

async function untilOpen(url: string): Promise<void> {
  for (let tries = 0; tries < 20 && !(await ailments(url)).some(({ state }) => state === 'open'); tries++) await (await ask(url)).text()
}

test('a breaker that opens on one is open on the other, and closed by its notification; a reset there is a reset here', async () => {
  await afresh()
  upstream.answer(respondJson(500, { error: { message: 'no', type: 'server_error' } }))
  await untilOpen(first.url)
  await known('an open breaker', async () => (await ailments(second.url)).some(({ state }) => state === 'open'))
  const [there] = await ailments(second.url)
  expect(there).toMatchObject({ key: 'key 1', model: testModel, cause: 'upstream_error' })
  expect(there?.retryInMs).toBeGreaterThan(0)
  expect(there?.retryInMs).toBeLessThanOrEqual(30_000)
  const asked = upstream.requests.length
  expect((await ask(second.url)).status).toBe(502)
  expect(upstream.requests.length).toBe(asked + 1)

  upstream.answer(well)
  expect((await ask(second.url)).status).toBe(200)
  await known('that it is well', async () => (await ailments(first.url)).length === 0)
  upstream.answer(respondJson(500, { error: { message: 'no', type: 'server_error' } }))
  await untilOpen(first.url)
  await known('the next open breaker', async () => (await ailments(second.url)).some(({ state }) => state === 'open'))
  const reset = await fetch(`${second.url}/api/channels/${channel}/reset`, {
    method: 'POST',
    headers: { cookie: first.admin.cookie, origin: second.url },
  })
  expect(reset.ok).toBe(true)
  await known('a reset', async () => (await ailments(first.url)).length === 0)
  upstream.answer(well)
  expect((await ask(first.url)).status).toBe(200)
}, 90_000)

test('a key that reached its limit on one rests on the other; its rest ends there by itself', async () => {
  await afresh()
  upstream.answer(respondJson(429, { error: { message: 'slow', type: 'requests', code: 'rate_limit_exceeded' } }, { 'Retry-After': '3' }))
  await (await ask(first.url)).text()
  await known('a limited key', async () => (await ailments(second.url)).some(({ cause }) => cause === 'upstream_rate_limited'))
  const refused = await ask(second.url)
  expect([refused.status, Number(refused.headers.get('retry-after')) <= 3]).toEqual([429, true])
  upstream.answer(well)
  await known('the end of its rest', async () => (await ask(second.url)).status === 200)
}, 90_000)

test('a key that is refused on one rests on the other; the first success closes it for both', async () => {
  await afresh()
  upstream.answer(respondJson(401, { error: { message: 'no', type: 'invalid_request_error', code: 'invalid_api_key' } }))
  // The reset at the beginning of this test may still be in transit to the second instance, and clears its state on arrival.
  await known('a refused key', async () => {
    await untilOpen(second.url)
    return (await ailments(first.url)).some(({ cause, model }) => cause === 'upstream_auth_failed' && model === null)
  })
  upstream.answer(well)
  expect((await ask(first.url)).status).toBe(200)
  await known('both are well', async () => (await ailments(first.url)).length + (await ailments(second.url)).length === 0)
}, 90_000)
