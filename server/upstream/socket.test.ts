import { afterEach, describe, expect, test } from 'bun:test'
import { createServer } from 'node:net'
import { systemClock as clock } from '#runtime/clock'
import { type FrameListener, type FrameSocket, largestFrame, type SocketFrame } from '#runtime/contract/sockets'
import { GatewayError } from '#shared/errors'
import { scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { selfSigned } from '#testing/upstream/self-signed'
import { type RealtimeVendor, realtimeVendor } from '#testing/vendors/realtime-vendor'
import { createAddressCheck } from './addresses.ts'
import { createSocketUpstream, type RefusedDial } from './socket.ts'

const upstream = createSocketUpstream({ check: createAddressCheck({ clock }), clock })
const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

function heard() {
  const frames: SocketFrame[] = []
  const closed = Promise.withResolvers<{ code: number; reason: string }>()
  let look = () => {}
  const listener: FrameListener = {
    message(frame) {
      frames.push(frame)
      look()
    },
    drained: () => {},
    closed: (code, reason) => closed.resolve({ code, reason }),
  }
  const received = (count: number) =>
    new Promise<void>((resolve) => {
      look = () => void (frames.length >= count && resolve())
      look()
    })
  return { frames, listener, closed: closed.promise, received }
}

function vendorOf(script: Parameters<typeof realtimeVendor>[0]): RealtimeVendor {
  const vendor = realtimeVendor(script)
  undo.push(() => vendor.close())
  return vendor
}

async function dialled(url: string, headers: Record<string, string> = {}, signal = new AbortController().signal) {
  const ears = heard()
  const answer = await upstream.dial({ url, headers }, ears.listener, signal)
  return { ...ears, answer }
}

async function connected(url: string, headers?: Record<string, string>) {
  const { answer, ...ears } = await dialled(url, headers)
  if ('status' in answer) throw new Error(`refused with ${answer.status}`)
  undo.push(() => (answer as FrameSocket).close(1000, ''))
  return { ...ears, socket: answer as FrameSocket }
}

test('the connection goes to the addresses that were checked, whatever a name server says afterwards', async () => {
  const vendor = vendorOf(() => undefined)
  const asked: string[] = []
  const resolve = async (name: string) => {
    asked.push(name)
    return ['127.0.0.1']
  }
  const pinned = createSocketUpstream({ check: createAddressCheck({ clock, resolve }), clock })
  // A name that the system cannot resolve: a second lookup would fail.
  const url = vendor.url.replace('127.0.0.1', 'upstream.invalid')
  const answer = await pinned.dial({ url, headers: {} }, heard().listener, new AbortController().signal)
  if ('status' in answer) throw new Error(`refused with ${answer.status}`)
  expect([asked, vendor.asked[0]?.headers.get('host')]).toEqual([['upstream.invalid'], new URL(url).host])
  answer.close(1000, '')
})

const fault = (dialling: Promise<unknown>) =>
  dialling.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )

describe('a dial that stands', () => {
  test('sends the given headers and what a WebSocket needs, nothing else', async () => {
    const vendor = vendorOf(() => {})
    await connected(`${vendor.url}/v1/realtime?model=m`, { authorization: 'Bearer k', 'user-agent': 'parley/1' })
    const { target, headers } = await vendor.call(0)
    expect(target).toBe('/v1/realtime?model=m')
    expect(Object.fromEntries(headers)).toMatchObject({ authorization: 'Bearer k', 'user-agent': 'parley/1' })
    const needed = /^(host|connection|upgrade|sec-websocket-(key|version)|authorization|user-agent)$/
    expect([...headers.keys()].filter((name) => !needed.test(name))).toEqual([])
  })

  test('keeps text text and bytes bytes, hears what comes with the upgrade, and passes the close', async () => {
    const vendor = vendorOf((call) => {
      void call.send('at once')
      void call.send(new Uint8Array([1, 2, 255]))
    })
    const { frames, received, socket, closed } = await connected(vendor.url)
    await received(2)
    expect(frames[0]).toBe('at once')
    expect(new Uint8Array(frames[1] as Uint8Array)).toEqual(new Uint8Array([1, 2, 255]))
    const call = await vendor.call(0)
    for (const frame of ['é😀', '', new Uint8Array([0])]) expect(socket.send(frame)).toBe(true)
    await call.received(3)
    expect(call.frames.slice(0, 2)).toEqual(['é😀', ''])
    call.close(4001, 'enough')
    expect(await closed).toEqual({ code: 4001, reason: 'enough' })
    expect(socket.send('late')).toBe(false)
  })

  test('a broken connection is 1006, a code that may not be sent is none', async () => {
    const vendor = vendorOf(() => {})
    const one = await connected(vendor.url)
    ;(await vendor.call(0)).cut()
    expect((await one.closed).code).toBe(1006)
    const other = await connected(vendor.url)
    other.socket.close(1006, 'x')
    expect((await (await vendor.call(1)).closed).code).toBe(1005)
  })

  test('a frame that is too large ends it, unheard', async () => {
    const vendor = vendorOf((call) => void call.send('x'.repeat(largestFrame + 1)))
    const { frames, closed } = await connected(vendor.url)
    expect([1006, 1009]).toContain((await closed).code)
    expect(frames).toEqual([])
  })

  test('does not go through a proxy of the environment', async () => {
    const vendor = vendorOf(() => {})
    const before = { http: process.env.http_proxy, all: process.env.HTTP_PROXY }
    Object.assign(process.env, { http_proxy: 'http://127.0.0.1:1', HTTP_PROXY: 'http://127.0.0.1:1' })
    undo.push(() => {
      for (const [name, value] of [['http_proxy', before.http] as const, ['HTTP_PROXY', before.all] as const]) {
        if (value === undefined) delete process.env[name]
        else process.env[name] = value
      }
    })
    await connected(vendor.url)
    expect(vendor.asked).toHaveLength(1)
  })
})

describe('a dial that does not stand', () => {
  test('is the upstream’s refusal, with status, headers and body', async () => {
    const vendor = vendorOf({ refuse: 429, headers: { 'retry-after': '7' }, body: { error: { message: 'slow' } } })
    const answer = (await dialled(vendor.url)).answer as RefusedDial
    expect(answer.status).toBe(429)
    expect(answer.headers.get('retry-after')).toBe('7')
    expect(JSON.parse(answer.body)).toEqual({ error: { message: 'slow' } })
  })

  test('follows no redirect', async () => {
    const other = vendorOf(() => {})
    const vendor = vendorOf({ refuse: 302, headers: { location: other.url } })
    expect(((await dialled(vendor.url)).answer as RefusedDial).status).toBe(302)
    expect(other.asked).toHaveLength(0)
  })

  test('is an upstream error without an address if nothing listens, or the answer is not HTTP', async () => {
    const garbage = await scriptedUpstream(async (exchange) => {
      await exchange.write('what?\r\n\r\n')
      exchange.close()
    })
    undo.push(() => garbage.close())
    for (const url of ['http://127.0.0.1:1/secret', garbage.url]) {
      const thrown = await fault(dialled(url))
      expect(thrown).toMatchObject({ code: 'upstream_error' })
      expect(String(thrown)).not.toContain('127.0.0.1')
    }
  })

  test('asks the address check first', async () => {
    for (const url of ['http://169.254.169.254/v1/realtime', 'http://metadata.google.internal/', 'ftp://127.0.0.1/']) {
      expect(await fault(dialled(url))).toMatchObject({ code: 'upstream_error' })
    }
  })

  test('does not trust a self-signed certificate', async () => {
    const { createServer: tlsServer } = await import('node:tls')
    const server = tlsServer(selfSigned('localhost'), (socket) => socket.on('error', () => {}))
    server.on('tlsClientError', () => {})
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    undo.push(() => server.close())
    const { port } = server.address() as { port: number }
    expect(await fault(dialled(`https://127.0.0.1:${port}/`))).toMatchObject({ code: 'upstream_error' })
  })

  test('ends with the signal’s reason, and leaves no connection behind', async () => {
    const gone = Promise.withResolvers<void>()
    const server = createServer((socket) => {
      socket.on('error', () => {})
      socket.on('data', () => {})
      socket.on('close', () => gone.resolve())
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    undo.push(() => server.close())
    const { port } = server.address() as { port: number }
    const late = new AbortController()
    const reason = new GatewayError('upstream_timeout', 'late')
    const dialling = fault(dialled(`http://127.0.0.1:${port}/`, {}, late.signal))
    await Bun.sleep(50)
    late.abort(reason)
    expect(await dialling).toBe(reason)
    await gone.promise
  })
})
