/** When a connection counts as established, and what happens before. Over real TCP, with an address that drops packets. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { systemClock } from '#runtime/clock'
import { type BlackHole, blackHole } from '#testing/upstream/black-hole'
import { faults, respond, wait } from '#testing/upstream/scripted-answers'
import { scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { createHttpUpstream } from './http.ts'
import { defaultLimits, phaseTimer } from './timeouts.ts'
import type { UpstreamRequest } from './upstream.ts'

let hole: BlackHole
/** Accepts connections and sends nothing, not even a TLS handshake. */
let mute: Server
beforeAll(async () => {
  hole = await blackHole()
  mute = createServer((socket) => void socket.on('error', () => undefined))
  await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve))
}, 30_000)
afterAll(() => {
  hole.close()
  mute.close()
})

const connectMs = 300

const bodies: Record<string, UpstreamRequest['body']> = {
  text: '{"a":"é\u{1F600}"}',
  form: {
    type: 'multipart/form-data; boundary=X',
    length: 3,
    open: () => new Response('abc').body ?? new ReadableStream(),
  },
}

const shortLimits = { ...defaultLimits, connect: connectMs, firstEvent: 1_200 }

/** One attempt as the relay makes it: its outcome, its duration, and how often `connected` was called. */
async function attempt(
  url: string,
  body: UpstreamRequest['body'],
  { upstream = createHttpUpstream(() => undefined, systemClock), limits = shortLimits } = {},
) {
  const timer = phaseTimer(systemClock, limits)
  const begun = performance.now()
  let told = 0
  const connected = () => {
    told += 1
    timer.connected()
  }
  try {
    const answer = await upstream.open({ method: 'POST', url, headers: {}, body }, timer.signal, connected)
    while ((await answer.read()) !== undefined);
    return { outcome: answer.status, told, ms: performance.now() - begun }
  } catch (thrown) {
    return { outcome: thrown as { code?: string; message?: string }, told, ms: performance.now() - begun }
  } finally {
    timer.stop()
  }
}

test.each(Object.keys(bodies))('R-UP-1: an address that swallows packets ends with the connect limit: %s', async (kind) => {
  const { outcome, told, ms } = await attempt(hole.url, bodies[kind])
  console.log(`${Math.round(ms)} ms for a limit of ${connectMs}`)
  expect(outcome).toMatchObject({ code: 'upstream_timeout', message: 'Connecting to the upstream timed out.' })
  expect([told, ms > connectMs - 20, ms < connectMs * 3]).toEqual([0, true, true])
})

test('R-UP-1: TLS that hangs is a connection that does not stand', async () => {
  const { outcome, told } = await attempt(`https://127.0.0.1:${(mute.address() as AddressInfo).port}`, bodies.text)
  expect(outcome).toMatchObject({ code: 'upstream_timeout', message: 'Connecting to the upstream timed out.' })
  expect(told).toBe(0)
})

test('R-UP-1: a refused connection is reported at once, as never established', async () => {
  const gone = await scriptedUpstream()
  await gone.close()
  const { outcome, told, ms } = await attempt(gone.url, bodies.text)
  expect(outcome).toMatchObject({ code: 'upstream_error' })
  expect([told, ms < connectMs]).toEqual([0, true])
})

test.each(Object.keys(bodies))(
  'R-UP-3: silence of a connection that stands ends with the first event, not with the connection: %s',
  async (kind) => {
    const vendor = await scriptedUpstream(faults.hang)
    try {
      const { outcome, ms } = await attempt(vendor.url, bodies[kind])
      expect(outcome).toMatchObject({ code: 'upstream_timeout', message: 'The upstream did not start to answer in time.' })
      expect(ms).toBeGreaterThan(1_000)
    } finally {
      await vendor.close()
    }
  },
)

test('the bytes are the same, first and afterwards, with their length', async () => {
  const vendor = await scriptedUpstream(respond(200, {}, 'ok'))
  try {
    const upstream = createHttpUpstream(() => undefined, systemClock)
    const large = `"${'é\u{1F600}\uD800'.repeat(200_000)}"`
    for (const body of [large, large, '', '{}']) {
      expect(await attempt(vendor.url, body, { upstream, limits: defaultLimits })).toMatchObject({ outcome: 200, told: 1 })
      // After this time the origin is no longer assumed to be reachable.
      if (body === '') await wait(2_100)
    }
    expect(vendor.requests.map(({ body }) => body.length)).toEqual([Buffer.byteLength(large), Buffer.byteLength(large), 0, 2])
    expect(vendor.requests.map((request) => request.header('content-length'))).toEqual([
      ...[large, large].map((body) => String(Buffer.byteLength(body))),
      '0',
      '2',
    ])
    expect(vendor.requests.every((request) => request.header('transfer-encoding') === undefined)).toBe(true)
    expect(Buffer.from(vendor.requests[0]?.body ?? []).equals(Buffer.from(vendor.requests[1]?.body ?? []))).toBe(true)
  } finally {
    await vendor.close()
  }
})

test('an unread body is released when the attempt is aborted', async () => {
  const leaving = new AbortController()
  const upstream = createHttpUpstream(() => undefined, systemClock)
  const outcome = upstream.open({ method: 'POST', url: hole.url, headers: {}, body: '{}' }, leaving.signal).catch((error: unknown) => error)
  await wait(100)
  leaving.abort(new Error('left'))
  expect(await outcome).toMatchObject({ message: 'left' })
})
