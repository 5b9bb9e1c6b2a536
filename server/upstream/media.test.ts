import { afterEach, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { systemClock } from '#runtime/clock'
import { GatewayError } from '#shared/errors'
import { handClock } from '#testing/hand-clock'
import { drip, faults, gate, redirect, respond, stream } from '#testing/upstream/scripted-answers'
import { type Script, type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import type { Resolve } from './addresses.ts'
import { createMediaFetcher, type FetchedMedia, type MediaFetcherOptions, shortMedia } from './media.ts'
import { type MediaPolicy, publicOnly } from './media-policy.ts'

const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
const picture = respond(200, { 'Content-Type': 'image/png' }, png)

/** One loopback address stands for the public internet; every other address is as private as ever. */
const internet: MediaPolicy = {
  ...publicOnly,
  schemes: ['http:'],
  allowsPort: () => true,
  refusesIpv4: (address) => address.join('.') !== '127.0.0.1' && publicOnly.refusesIpv4(address),
}

const servers: ScriptedUpstream[] = []
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

async function host(script: Script = picture): Promise<ScriptedUpstream & { port: string }> {
  const server = await scriptedUpstream(script)
  servers.push(server)
  return Object.assign(server, { port: new URL(server.url).port })
}

type Outcome = { media: FetchedMedia } | { fault: unknown }

const never = new AbortController().signal

function fetcher(options: Partial<MediaFetcherOptions> = {}) {
  const fetchMedia = createMediaFetcher({ clock: systemClock, policy: internet, ...options, limits: { failureMs: 0, ...options.limits } })
  return (url: string, signal = never): Promise<Outcome> =>
    fetchMedia(url, signal).then(
      (media) => ({ media }),
      (fault: unknown) => ({ fault }),
    )
}

const told = (outcome: Outcome) => ('fault' in outcome && outcome.fault instanceof GatewayError ? outcome.fault.message : outcome)
const fetched = { media: { mimeType: 'image/png', data: png.toString('base64'), bytes: png.length } }
const unreachable = expect.stringContaining('could not be fetched')
const wrongKind = expect.stringContaining('unsupported type')
const tooLarge = expect.stringContaining('larger than')

test('a file comes as base64 with the kind that its bytes say', async () => {
  const server = await host(respond(200, { 'Content-Type': 'text/plain' }, png))
  expect(await fetcher()(`${server.url}/a.pdf?size=2`)).toEqual(fetched as Outcome)
  expect(server.requests[0]?.target).toBe('/a.pdf?size=2')
})

test('a longer one stays in the pieces in which it came', async () => {
  const long = Buffer.concat([png, Buffer.alloc(shortMedia, 7)])
  const server = await host(respond(200, {}, long))
  const outcome = await fetcher()(server.url)
  if (!('media' in outcome && 'pieces' in outcome.media)) throw new Error('no pieces')
  const { pieces, ...others } = outcome.media
  expect(others).toEqual({ mimeType: 'image/png', bytes: long.length })
  expect(Buffer.concat(pieces).equals(long)).toBeTrue()
})

test('no header of the caller or of Parley is sent', async () => {
  const server = await host()
  await fetcher()(`${server.url}/a#fragment`)
  const names = server.requests[0]?.headers.map(([name]) => name.toLowerCase()).sort()
  expect(names).toEqual(['accept', 'accept-encoding', 'host', 'user-agent'])
  expect(server.requests[0]?.target).toBe('/a')
})

test('no connection is kept for the next host', async () => {
  const server = await host()
  const fetchMedia = fetcher()
  await fetchMedia(server.url)
  await fetchMedia(server.url)
  expect(server.connections.accepted).toBe(2)
})

test('S-SSRF-4 rebinding: the connection goes to the address that was checked', async () => {
  const server = await host()
  const answers = [['127.0.0.1'], ['127.0.0.2']]
  let asked = 0
  const resolve: Resolve = async () => answers[asked++] ?? []
  expect(await fetcher({ resolve })(`http://rebind.example:${server.port}/a`)).toEqual(fetched as Outcome)
  expect(asked).toBe(1)
  expect(server.requests[0]?.header('host')).toBe(`rebind.example:${server.port}`)
  expect(told(await fetcher({ resolve })(`http://rebind.example:${server.port}/a`))).toEqual(unreachable)
  expect(server.connections.accepted).toBe(1)
})

test.each([
  [['127.0.0.1', '10.0.0.1']],
  [['127.0.0.1', '::1']],
  [['127.0.0.1', '::ffff:169.254.169.254']],
  [['127.0.0.1', 'fe80::1%eth0']],
  [['127.0.0.1', 'not an address']],
  [[]],
])('S-SSRF-4 one private address of a name refuses them all: %p', async (addresses: string[]) => {
  const server = await host()
  expect(told(await fetcher({ resolve: async () => addresses })(`http://two.example:${server.port}/a`))).toEqual(unreachable)
  expect(server.connections.accepted).toBe(0)
})

test('another address of a name is tried when one does not answer', async () => {
  const server = await host()
  // No server listens there.
  const policy = { ...internet, refusesIpv4: () => false }
  const resolve: Resolve = async () => ['127.0.0.9', '127.0.0.1']
  expect(await fetcher({ policy, resolve })(`http://two.example:${server.port}/a`)).toEqual(fetched as Outcome)
})

test.each([301, 302, 303, 307, 308])('S-SSRF-8 a redirect with %d is followed under the same rules', async (status) => {
  const inside = await host()
  const outside = await host()
  const fetchMedia = fetcher({ resolve: async (name) => (name === 'inside.example' ? ['127.0.0.2'] : ['127.0.0.1']) })
  for (const target of [
    `http://127.0.0.2:${inside.port}/a`,
    `http://inside.example:${inside.port}/a`,
    'file:///etc/passwd',
    'http://[::1]/',
  ]) {
    outside.next(redirect(target, status))
    expect(told(await fetchMedia(`${outside.url}/start`))).toEqual(unreachable)
  }
  expect(inside.connections.accepted).toBe(0)
  outside.next(redirect(`http://outside.example:${outside.port}/b`, status), picture)
  expect(await fetchMedia(`${outside.url}/start`)).toEqual(fetched as Outcome)
})

test('S-SSRF-8 a redirect carries nothing of the request before; relative ones work; their number is limited', async () => {
  const server = await host()
  server.next(respond(302, { Location: '../second', 'Set-Cookie': 'a=b' }), redirect('/third'), redirect('fourth'), picture)
  expect(await fetcher()(`${server.url}/first/x`)).toEqual(fetched as Outcome)
  expect(server.requests.map(({ target }) => target)).toEqual(['/first/x', '/second', '/third', '/fourth'])
  for (const request of server.requests) {
    for (const name of ['cookie', 'referer', 'authorization', 'origin']) expect(request.header(name)).toBeUndefined()
  }
  server.answer(redirect('/again'))
  expect(told(await fetcher()(`${server.url}/loop`))).toEqual(unreachable)
  expect(server.requests.length).toBe(8)
})

test.each([201, 204, 206, 300, 304, 400, 403, 404, 500])('status %d is no file', async (status) => {
  const server = await host(respond(status, {}, png))
  expect(told(await fetcher()(server.url))).toEqual(unreachable)
})

test('S-SSRF-9 an endless body ends at the limit', async () => {
  const megabyte = new Uint8Array(1024 * 1024)
  const server = await host(async (exchange) => {
    await exchange.head(200, { 'Transfer-Encoding': 'chunked' })
    await exchange.chunk(png)
    while (!exchange.isGone()) await exchange.chunk(megabyte)
  })
  expect(told(await fetcher({ limits: { bytes: 2 * 1024 * 1024 } })(server.url))).toEqual(tooLarge)
  await server.exchanges[0]?.gone
  expect(server.exchanges[0]?.accepted).toBeLessThan(20 * 1024 * 1024)
})

test('S-SSRF-9 the limit is exact, whatever length is announced', async () => {
  const limits = { bytes: png.length }
  const server = await host()
  expect(await fetcher({ limits })(server.url)).toEqual(fetched as Outcome)
  expect(told(await fetcher({ limits: { bytes: png.length - 1 } })(server.url))).toEqual(tooLarge)
  server.answer(stream([png, 'x']))
  expect(told(await fetcher({ limits })(server.url))).toEqual(tooLarge)
})

test.each<[string, Script]>([
  ['no head', faults.hang],
  ['no body', faults.hangAfterHead],
  [
    'a body in drops',
    async (exchange) => {
      await exchange.head(200, { 'Transfer-Encoding': 'chunked' })
      await exchange.chunk(png)
      await drip('1\r\nx\r\n'.repeat(10_000), 5)(exchange)
    },
  ],
])('S-SSRF-9 time has a limit: %s', async (_, script) => {
  const server = await host(script)
  expect(told(await fetcher({ limits: { ms: 200 } })(server.url))).toEqual(unreachable)
  await server.exchanges[0]?.gone
})

test.each([...Object.entries(faults.beforeHead), ...Object.entries(faults.inBody)])('a broken answer is no file: %s', async (_, script) => {
  const server = await host(script)
  expect([expect.objectContaining({ fault: expect.any(GatewayError) })]).toEqual([(await fetcher()(server.url)) as never])
})

test('a body that stops short is no file, though its beginning is one', async () => {
  const server = await host(async (exchange) => {
    await exchange.head(200, { 'Content-Length': '1000' })
    await exchange.write(png)
    exchange.close()
  })
  expect(told(await fetcher()(server.url))).toEqual(unreachable)
})

test('S-SSRF-9 the type of a file is detected from its bytes, not from its header', async () => {
  const server = await host()
  for (const body of ['<html>a page</html>', '{"secret":"of the host"}', '<svg onload="x"/>', 'GIF8', '']) {
    server.answer(respond(200, { 'Content-Type': 'image/png' }, body))
    expect(told(await fetcher()(`${server.url}/a.png`))).toEqual(wrongKind)
  }
})

test('S-SSRF-9 a gzip bomb stays packed', async () => {
  const bomb = gzipSync(Buffer.concat([png, Buffer.alloc(64 * 1024 * 1024)]))
  const server = await host(respond(200, { 'Content-Type': 'image/png', 'Content-Encoding': 'gzip' }, bomb))
  expect(told(await fetcher()(server.url))).toEqual(wrongKind)
})

test('S-SSRF-9 refused and unreachable: the same text at the same time', async () => {
  const clock = handClock()
  const fetchMedia = fetcher({ clock, limits: { failureMs: 500 } })
  const closed = await scriptedUpstream()
  await closed.close()
  const outcomes: Outcome[] = []
  const asked = ['http://10.0.0.1/', 'ftp://example.com/', closed.url].map((url) =>
    fetchMedia(url).then((outcome) => outcomes.push(outcome)),
  )
  await systemClock.sleep(200)
  await clock.advance(499)
  expect(outcomes).toEqual([])
  await clock.advance(1)
  await Promise.all(asked)
  expect(new Set(outcomes.map(told)).size).toBe(1)
  expect(outcomes).toEqual(new Array(3).fill({ fault: expect.objectContaining({ code: 'invalid_value' }) }))
  expect(clock.pending()).toBe(0)
})

test('the number of concurrent fetches is limited; a caller that disconnects leaves the queue', async () => {
  const held = gate(picture)
  const server = await host(held.script)
  const fetchMedia = fetcher({ limits: { parallel: 2, waiting: 2 } })
  const left = new AbortController()
  const running = [fetchMedia(server.url), fetchMedia(server.url)]
  await server.received(1)
  const waiting = fetchMedia(server.url)
  const leaving = fetchMedia(server.url, left.signal)
  expect(await fetchMedia(server.url)).toMatchObject({ fault: { code: 'overloaded' } })
  left.abort(new Error('gone'))
  expect(await leaving).toMatchObject({ fault: { message: 'gone' } })
  expect(server.connections.accepted).toBe(2)
  held.open()
  expect(await Promise.all([...running, waiting])).toEqual([fetched, fetched, fetched] as [Outcome, Outcome, Outcome])
})

test('a caller that disconnects ends the fetch', async () => {
  const server = await host(faults.hang)
  const left = new AbortController()
  const visit = fetcher()(server.url, left.signal)
  await server.received(0)
  left.abort(new Error('gone'))
  expect(await visit).toMatchObject({ fault: { message: 'gone' } })
  await server.exchanges[0]?.gone
})
