/**
 * Calls on two instances of one PostgreSQL: a paused instance loses the call to the other, and charges nothing of what it missed.
 * And upstreams that know a call only after a while, or hang up only when they are asked again.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { newPostgresDatabase } from '#testing/database/postgres-server'
import { type Program, startProgram } from '#testing/program/program'
import { type Gateway, type Session, startGateway } from './support/gateway.ts'
import { type CallVendor, callVendor, type HeldCall } from './support/realtime/call-vendor.ts'

const model = 'gpt-realtime'
const sdp = 'v=0\r\no=- 1 2 IN IP4 127.0.0.1\r\ns=-\r\n'
const usage = { input_tokens: 100, output_tokens: 50, total_tokens: 150 }
const ofOne = (100 * 4 + 50 * 16) / 1e6

let database: Awaited<ReturnType<typeof newPostgresDatabase>>
let gateway: Gateway
let other: Program
let vendor: CallVendor
beforeAll(async () => {
  vendor = callVendor()
  database = await newPostgresDatabase()
  const env = { DATABASE_URL: database.url, PARLEY_MASTER_KEY: 'ab'.repeat(32), PARLEY_DEMO: 'off', PARLEY_TAKEOVER: '2s' }
  gateway = await startGateway('embedded', { env })
  await gateway.channel('openai', vendor.url, { vendor: 'openai', models: [model] })
  await gateway.price(model, { input: '4', output: '16' })
  other = await startProgram({ env })
}, 120_000)
afterAll(async () => {
  await other?.stop()
  await gateway?.close()
  vendor?.close()
  await database?.drop()
})

/** A call that was opened at this address. */
async function opened(key: string, url = gateway.url): Promise<HeldCall> {
  await new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 }).realtime.calls.create({
    sdp,
    session: { type: 'realtime', model },
  })
  const call = vendor.calls.at(-1) as HeldCall
  await call.heardBy(1)
  return call
}
const balanceOf = async (session: Session) =>
  Number((await session.call<{ user: { balance: string } }>('GET', '/api/session')).user.balance)
async function until(fits: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await fits())) await Bun.sleep(20)
}
const paid = (responses: number) => Number((5 - responses * ofOne).toFixed(9))

test('an instance that sleeps loses the call to the other, and charges nothing of what both heard', async () => {
  const ann = await gateway.user('ann', '5')
  await until(async () => (await fetch(`${other.url}/v1/models`, { headers: { authorization: `Bearer ${ann.key}` } })).ok)
  const call = await opened(ann.key, other.url)
  call.respond('One.', usage)
  await Bun.sleep(300)
  process.kill(other.pid, 'SIGSTOP')
  try {
    await call.heardBy(2)
    call.respond('Two.', usage)
    await Bun.sleep(300)
  } finally {
    process.kill(other.pid, 'SIGCONT')
  }
  // Resumed, it receives what it missed, and then that it no longer owns the call.
  await until(() => call.listeners() === 1)
  call.respond('Three.', usage)
  await Bun.sleep(300)
  call.end()
  await until(async () => (await balanceOf(ann.session)) === paid(3))
  await Bun.sleep(1000)
  expect(await balanceOf(ann.session)).toBe(paid(3))
  const { data } = await ann.session.call<{ data: { charged: string; end: string }[] }>('GET', '/api/logs')
  expect(data.map(({ charged, end }) => [Number(charged), end]).sort()).toEqual([
    [ofOne, 'complete'],
    [2 * ofOne, 'complete'],
  ])
}, 60_000)

test('an instance that ends leaves the call to the other at once', async () => {
  const bob = await gateway.user('bob', '5')
  await until(async () => (await fetch(`${other.url}/v1/models`, { headers: { authorization: `Bearer ${bob.key}` } })).ok)
  const call = await opened(bob.key, other.url)
  call.respond('One.', usage)
  await Bun.sleep(300)
  const stopped = other.stop()
  await until(() => call.listeners() === 0)
  await call.heardBy(1)
  await stopped
  call.respond('Two.', usage)
  await Bun.sleep(100)
  call.end()
  await until(async () => (await balanceOf(bob.session)) === paid(2))
}, 60_000)

test('an upstream that knows the call only after a while is asked until it does', async () => {
  const cay = await gateway.user('cay', '5')
  vendor.instead((target) => target.includes('?call_id='), 2, 404)
  const call = await opened(cay.key)
  call.respond('One.', usage)
  call.end()
  await until(async () => (await balanceOf(cay.session)) === paid(1))
}, 60_000)

test('an upstream that does not hang up at once is asked again', async () => {
  const dan = await gateway.user('dan', '5')
  const { key, id } = await dan.session.call<{ key: string; id: string }>('POST', '/api/keys', { name: 'short' })
  vendor.instead((target) => target.endsWith('/hangup'), 2, 500)
  const call = await opened(key)
  await dan.session.call('DELETE', `/api/keys/${id}`)
  await until(() => !call.isLive())
}, 60_000)
