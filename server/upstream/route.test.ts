/** Routes to upstreams through scripted proxies of each kind; the address rules still apply. */
import { afterEach, describe, expect, test } from 'bun:test'
import { systemClock as clock } from '#runtime/clock'
import type { Route, TlsIdentity } from '#runtime/contract/route'
import type { FrameListener, SocketFrame } from '#runtime/contract/sockets'
import { readProxyUrl } from '#runtime/tunnel/proxy-url'
import { GatewayError } from '#shared/errors'
import { respond, stream } from '#testing/upstream/scripted-answers'
import { type ProxyBehaviour, type ScriptedProxy, scriptedProxy } from '#testing/upstream/scripted-proxy'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { selfSigned } from '#testing/upstream/self-signed'
import { type TlsFront, tlsFront } from '#testing/upstream/tls-front'
import { realtimeVendor } from '#testing/vendors/realtime-vendor'
import { createAddressCheck } from './addresses.ts'
import { createHttpUpstream } from './http.ts'
import { assertProxy } from './route.ts'
import { createSocketUpstream } from './socket.ts'
import { defaultLimits, phaseTimer } from './timeouts.ts'
import type { UpstreamRequest } from './upstream.ts'

const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})
function closing<T extends { close(): unknown }>(one: T): T {
  undo.push(() => one.close())
  return one
}

/** Names that only these tests resolve: a lookup by the system would fail. */
const names: Record<string, readonly string[]> = {
  'up.invalid': ['203.0.113.7'],
  'two.invalid': ['2001:db8::7', '203.0.113.7', '203.0.113.8'],
  'proxy.invalid': ['127.0.0.1'],
  'metadata-proxy.invalid': ['169.254.169.254'],
}
const resolve = async (name: string) => names[name] ?? Promise.reject(new Error('unknown'))
const check = createAddressCheck({ clock, resolve })
const kinds = ['http', 'https', 'socks5'] as const
const proxyCertificate = selfSigned('proxy.invalid')
const upstreamCertificate = selfSigned('up.invalid')

let count = 0
function routeTo(text: string, tls?: TlsIdentity): Route {
  const proxy = readProxyUrl(text)
  if (proxy === undefined) throw new Error('no proxy')
  count += 1
  return { name: `route ${count}`, proxy, tls: { ca: proxyCertificate.cert + upstreamCertificate.cert, ...tls } }
}

/** A proxy in front of this port, and its URL by name. */
async function proxyBefore(port: number, behaviour: ProxyBehaviour): Promise<ScriptedProxy & { named: string }> {
  const proxy = closing(await scriptedProxy(port, { certificate: proxyCertificate, ...behaviour }))
  const userinfo =
    behaviour.user === undefined ? '' : `${encodeURIComponent(behaviour.user)}:${encodeURIComponent(behaviour.password ?? '')}@`
  return Object.assign(proxy, { named: `${behaviour.kind}://${userinfo}proxy.invalid:${proxy.port}` })
}

const portOf = ({ url }: { url: string }) => Number(new URL(url).port)
const vendorWith = async (script: Parameters<typeof scriptedUpstream>[0]): Promise<ScriptedUpstream> =>
  closing(await scriptedUpstream(script))
const frontOf = async (vendor: ScriptedUpstream, clients?: string): Promise<TlsFront> =>
  closing(await tlsFront(portOf(vendor), upstreamCertificate, clients))

function opened() {
  return closing(createHttpUpstream(check, clock))
}

async function answered(upstream: ReturnType<typeof createHttpUpstream>, request: Partial<UpstreamRequest>, limits = defaultLimits) {
  const timer = phaseTimer(clock, limits)
  try {
    const whole: UpstreamRequest = { method: 'POST', url: 'https://up.invalid/v1', headers: {}, body: '{}', ...request }
    const answer = await upstream.open(whole, timer.signal, () => timer.connected())
    let text = ''
    for (let piece = await answer.read(); piece !== undefined; piece = await answer.read()) text += new TextDecoder().decode(piece)
    return { status: answer.status, text }
  } catch (thrown) {
    const { code, message, cause } = thrown as GatewayError
    return { code, message, cause }
  } finally {
    timer.stop()
  }
}

describe.each(kinds)('a proxy of kind %s', (kind) => {
  test('is asked for the checked address; the upstream sees its own name, and one tunnel serves on', async () => {
    const vendor = await vendorWith(stream(['one ', 'two']))
    const front = await frontOf(vendor)
    const proxy = await proxyBefore(front.port, { kind, user: 'us%r', password: 'p:ss wörd' })
    const upstream = opened()
    const route = routeTo(proxy.named)
    const large = 'é'.repeat(600_000)
    for (const body of ['{}', large]) expect(await answered(upstream, { body, route })).toEqual({ status: 200, text: 'one two' })
    expect(proxy.asked).toEqual(['203.0.113.7:443'])
    expect(proxy.credentials).toEqual(['us%r:p:ss wörd'])
    expect(front.seen).toEqual([{ name: 'up.invalid', shown: undefined }])
    expect(vendor.requests.map((request) => [request.header('host'), request.body.length])).toEqual([
      ['up.invalid', 2],
      ['up.invalid', Buffer.byteLength(large)],
    ])
    expect(vendor.requests[0]?.header('proxy-authorization')).toBeUndefined()
  })

  test('carries plain HTTP in a tunnel, too, and an IPv6 address', async () => {
    const vendor = await vendorWith(respond(200, {}, 'ok'))
    const proxy = await proxyBefore(portOf(vendor), { kind })
    const upstream = opened()
    const route = routeTo(proxy.named)
    expect(await answered(upstream, { url: 'http://up.invalid:8080/v1', route })).toEqual({ status: 200, text: 'ok' })
    expect(await answered(upstream, { url: 'http://[2001:db8::5]/v1', route })).toEqual({ status: 200, text: 'ok' })
    expect(proxy.asked).toEqual(['203.0.113.7:8080', '[2001:db8::5]:80'])
    expect(vendor.requests.map((request) => request.target)).toEqual(['/v1', '/v1'])
  })

  test('is asked for the next address when it cannot reach one, IPv4 first', async () => {
    const vendor = await vendorWith(respond(200, {}, 'ok'))
    const unreachable = kind === 'socks5' ? 4 : 502
    const refuses = (address: string) => (address === '2001:db8::7' ? undefined : unreachable)
    const proxy = await proxyBefore(portOf(vendor), { kind, refuses })
    expect(await answered(opened(), { url: 'http://two.invalid/', route: routeTo(proxy.named) })).toEqual({ status: 200, text: 'ok' })
    expect(proxy.asked).toEqual(['203.0.113.7:80', '203.0.113.8:80', '[2001:db8::7]:80'])
  })

  test('never learns of link-local and metadata addresses', async () => {
    const vendor = await vendorWith(respond(200, {}, 'stolen'))
    const proxy = await proxyBefore(portOf(vendor), { kind })
    for (const url of ['http://169.254.169.254/latest', 'http://metadata-proxy.invalid/', 'http://metadata.google.internal/'])
      expect(await answered(opened(), { url, route: routeTo(proxy.named) })).toMatchObject({
        code: 'upstream_error',
        message: 'The upstream has an address that Parley does not call.',
      })
    expect(proxy.accepted).toBe(0)
  })

  test('whoever it is, its certificate and that of the upstream must be theirs', async () => {
    const vendor = await vendorWith(respond(200, {}, 'ok'))
    const front = await frontOf(vendor)
    const proxy = await proxyBefore(front.port, { kind })
    const other = { ca: proxyCertificate.cert }
    expect(await answered(opened(), { route: routeTo(proxy.named, other) })).toMatchObject({
      code: 'upstream_error',
      message: 'The upstream could not be reached, or closed the connection without an answer.',
    })
    const nobody = { ca: upstreamCertificate.cert }
    if (kind === 'https')
      expect(await answered(opened(), { route: routeTo(proxy.named, nobody) })).toMatchObject({
        code: 'upstream_error',
        message: 'The outbound proxy could not be reached.',
      })
    expect(vendor.requests).toEqual([])
  })

  test.each([
    ['refuses', { user: 'u', password: 'right' }, 'The outbound proxy asks for other credentials.'],
    ['is forbidden', { refuses: () => (kind === 'socks5' ? 2 : 403) }, 'The outbound proxy refused to connect to the upstream.'],
    ['cannot reach', { refuses: () => (kind === 'socks5' ? 5 : 504) }, 'The outbound proxy could not connect to the upstream.'],
  ])('says so when it %s', async (_, behaviour, message) => {
    const vendor = await vendorWith(respond(200, {}, 'ok'))
    const proxy = await proxyBefore(portOf(vendor), { kind, ...behaviour })
    const route = routeTo(proxy.named.replace('right', 'wrong'))
    expect(await answered(opened(), { route })).toMatchObject({ code: 'upstream_error', message })
    expect(vendor.requests).toEqual([])
    await gone(proxy)
  })

  test('says so when it is not there, says nothing, or is something else', async () => {
    const vendor = await vendorWith(respond(200, {}, 'ok'))
    const closed = await scriptedProxy(1, { kind, certificate: proxyCertificate })
    await closed.close()
    expect(await answered(opened(), { route: routeTo(`${kind}://127.0.0.1:${closed.port}`) })).toMatchObject({
      code: 'upstream_error',
      message: 'The outbound proxy could not be reached.',
    })
    const mute = await proxyBefore(portOf(vendor), { kind, mute: true })
    expect(await answered(opened(), { route: routeTo(mute.named) }, { ...defaultLimits, connect: 300 })).toMatchObject({
      code: 'upstream_timeout',
      message: 'Connecting through the outbound proxy timed out.',
    })
    await gone(mute)
    const other = await proxyBefore(portOf(vendor), { kind: kind === 'socks5' ? 'http' : 'socks5' })
    const outcome = await answered(opened(), { route: routeTo(other.named.replace(/^\w+/, kind)) }, { ...defaultLimits, connect: 2_000 })
    expect(String(outcome.message)).toMatch(/outbound proxy/)
  })

  test('carries a WebSocket, and tells when it cannot', async () => {
    const vendor = closing(realtimeVendor((call) => void call.send('hello')))
    const proxy = await proxyBefore(portOf(vendor), { kind })
    const sockets = createSocketUpstream({ check, clock })
    const first = Promise.withResolvers<SocketFrame>()
    const closed = Promise.withResolvers<number>()
    const listener: FrameListener = { message: first.resolve, drained: () => undefined, closed: closed.resolve }
    const signal = new AbortController().signal
    const socket = await sockets.dial({ url: 'http://up.invalid/v1/realtime', headers: {}, route: routeTo(proxy.named) }, listener, signal)
    if ('status' in socket) throw new Error(`refused with ${socket.status}`)
    expect(await first.promise).toBe('hello')
    const call = await vendor.call(0)
    socket.send('back')
    await call.received(1)
    expect([call.frames[0], proxy.asked[0], vendor.asked[0]?.headers.get('host')]).toEqual(['back', '203.0.113.7:80', 'up.invalid'])
    call.close(4001, '')
    expect(await closed.promise).toBe(4001)
    const refusing = await proxyBefore(1, { kind, refuses: () => (kind === 'socks5' ? 2 : 403) })
    const dialling = sockets.dial({ url: 'http://up.invalid/', headers: {}, route: routeTo(refusing.named) }, listener, signal)
    expect(await dialling.catch((thrown: unknown) => thrown)).toMatchObject({
      code: 'upstream_error',
      message: 'The outbound proxy refused to connect to the upstream.',
    })
  })
})

/** Resolves when all connections of a proxy are closed. */
async function gone(proxy: ScriptedProxy): Promise<void> {
  while (proxy.open > 0) await clock.sleep(5)
}

describe('certificates of a channel', () => {
  test('its authorities are believed instead of those of the machine, and its own certificate is shown', async () => {
    const client = selfSigned('client.example')
    const vendor = await vendorWith(respond(200, {}, 'ok'))
    const front = await frontOf(vendor, client.cert)
    names['up.invalid'] = ['127.0.0.1']
    undo.push(() => {
      names['up.invalid'] = ['203.0.113.7']
    })
    const upstream = closing(createHttpUpstream(createAddressCheck({ clock, resolve }), clock))
    const url = `https://up.invalid:${front.port}/`
    const tls = { ca: upstreamCertificate.cert, ...client }
    expect(await answered(upstream, { url, route: { name: 'shown', tls } })).toEqual({ status: 200, text: 'ok' })
    expect(front.seen.at(-1)).toEqual({ name: 'up.invalid', shown: 'client.example' })
    expect(await answered(upstream, { url, route: { name: 'unshown', tls: { ca: tls.ca } } })).toMatchObject({ code: 'upstream_error' })
    expect(await answered(upstream, { url })).toMatchObject({ code: 'upstream_error' })
    expect(vendor.requests.length).toBe(1)
  })

  test('a connection of one route never serves another', async () => {
    const vendor = await vendorWith(respond(200, {}, 'ok'))
    const proxy = await proxyBefore(portOf(vendor), { kind: 'http' })
    const upstream = opened()
    const routes = [routeTo(proxy.named), routeTo(proxy.named)]
    for (const route of [...routes, ...routes]) await answered(upstream, { url: 'http://up.invalid/', route })
    expect([proxy.accepted, vendor.requests.length]).toEqual([2, 4])
  })
})

describe('a proxy as it is written', () => {
  test.each([
    ['http://proxy.example:3128', { kind: 'http', host: 'proxy.example', port: 3128, credentials: undefined }],
    ['https://[::1]', { kind: 'https', host: '::1', port: 443, credentials: undefined }],
    ['socks5://a%40b:c%3Ad@10.0.0.1/', { kind: 'socks5', host: '10.0.0.1', port: 1080, credentials: { user: 'a@b', password: 'c:d' } }],
  ])('%s', (text, proxy) => {
    expect(readProxyUrl(text)).toEqual(proxy as never)
    expect(() => assertProxy(text)).not.toThrow()
  })

  test.each([
    ...['proxy.example:3128', 'socks4://h', 'ftp://h', 'http://', 'http://h/path', 'http://h?x', 'http://h#x', 'socks5://h:0', ''],
    ...['http://:p@h', `http://${'u'.repeat(256)}@h`, 'http://u:%ff@h', 'http://u:%0a@h', 'http://u%3Ax:p@h', 'http://hidden ...abcd@h'],
    ...['http://169.254.169.254:80', 'http://[fe80::1]', 'https://metadata.google.internal', 'socks5://2852039166'],
  ])('%s is refused', (text) => {
    expect(() => assertProxy(text)).toThrow(GatewayError)
  })

  test('an address of the proxy is checked before every call, as that of the upstream', async () => {
    const vendor = await vendorWith(respond(200, {}, 'stolen'))
    const route = routeTo('http://metadata-proxy.invalid:80')
    expect(await answered(opened(), { route })).toMatchObject({
      code: 'upstream_error',
      message: 'The outbound proxy could not be reached.',
    })
    expect(vendor.connections.accepted).toBe(0)
  })
})
