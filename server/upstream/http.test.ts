import { afterEach, describe, expect, test } from 'bun:test'
import { type AddressInfo, createServer } from 'node:net'
import { systemClock } from '#runtime/clock'
import { GatewayError } from '#shared/errors'
import { closing, faults, gate, informed, raw, redirect, respond, respondJson, stream, wait } from '#testing/upstream/scripted-answers'
import { type Script, type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { selfSigned } from '#testing/upstream/self-signed'
import { createAddressCheck } from './addresses.ts'
import { createHttpUpstream } from './http.ts'
import type { UpstreamAnswer } from './upstream.ts'

const upstream = createHttpUpstream(createAddressCheck({ clock: systemClock }), systemClock)
const vendors: ScriptedUpstream[] = []
afterEach(async () => {
  for (const vendor of vendors.splice(0)) await vendor.close()
})

async function vendorOf(script: Script): Promise<ScriptedUpstream> {
  const vendor = await scriptedUpstream(script)
  vendors.push(vendor)
  return vendor
}

const post = (vendor: { url: string }, headers: Record<string, string> = {}, signal = new AbortController().signal) =>
  upstream.open({ method: 'POST', url: `${vendor.url}/v1/chat/completions`, headers, body: '{"a":1}' }, signal)

/** An instant answer may lose the connection of a request whose body is still being sent. */
const soonOk: Script = async (exchange) => {
  await wait(5)
  await respond(200, {}, 'ok')(exchange)
}

/** Sends requests until one reuses the previous connection, so that there is a pooled one; returns its number. */
async function pooled(vendor: ScriptedUpstream): Promise<number> {
  for (let tries = 0; tries < 50; tries++) {
    await textOf(await post(vendor))
    const [before, last] = vendor.requests.slice(-2).map(({ connection }) => connection)
    if (last !== undefined && before === last) return last
  }
  throw new Error('no connection was used twice')
}

async function textOf(answer: UpstreamAnswer): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for (let piece = await answer.read(); piece !== undefined; piece = await answer.read()) text += decoder.decode(piece, { stream: true })
  return text
}

const thrownBy = (work: Promise<unknown>) =>
  work.then(
    () => 'nothing was thrown',
    (error: unknown) => error,
  )

/** No URL and nothing that was received, neither in the message nor in the logged cause. */
function expectUpstreamError(error: unknown): void {
  expect(error).toBeInstanceOf(GatewayError)
  const { code, message, cause } = error as GatewayError
  expect(code).toBe('upstream_error')
  expect(`${message} ${String(cause)}`).not.toMatch(/127\.0\.0\.1|:\d{4}|\/v1|http:|Hello/)
}

describe('what is sent', () => {
  test('method, path, body and headers as given; identity encoding; own user agent unless the channel has one', async () => {
    const vendor = await vendorOf(respond(200, {}, 'ok'))
    await textOf(await post(vendor, { 'content-type': 'application/json', authorization: 'Bearer sk-1', 'X-Extra': 'yes' }))
    await textOf(await post(vendor, { 'User-Agent': 'mine/1', 'Accept-Encoding': 'br' }))
    const [first, second] = vendor.requests
    expect([first?.method, first?.target, first?.text()]).toEqual(['POST', '/v1/chat/completions', '{"a":1}'])
    const names = first?.headers.map(([name]) => name.toLowerCase()).sort()
    expect(names).toEqual([
      'accept',
      'accept-encoding',
      'authorization',
      'connection',
      'content-length',
      'content-type',
      'host',
      'user-agent',
      'x-extra',
    ])
    expect(first?.header('accept-encoding')).toBe('identity')
    expect(first?.header('user-agent')).toBe('parley')
    expect(second?.header('user-agent')).toBe('mine/1')
    expect(second?.header('accept-encoding')).toBe('identity')
  })

  test('a connection is used again', async () => {
    const vendor = await vendorOf(soonOk)
    const first = await pooled(vendor)
    for (let i = 0; i < 3; i++) expect(await pooled(vendor)).toBe(first)
  })
})

describe('answers', () => {
  test.each([200, 201, 400, 401, 404, 408, 409, 413, 422, 425, 429, 500, 502, 503, 504, 524, 529, 599, 999])(
    'status %i comes with headers and body',
    async (status) => {
      const vendor = await vendorOf(respond(status, { 'Retry-After': '7', 'Content-Type': 'text/html' }, '<html>é</html>'))
      const answer = await post(vendor)
      expect([answer.status, answer.headers.get('retry-after'), await textOf(answer)]).toEqual([status, '7', '<html>é</html>'])
    },
  )

  test('204 has no body', async () => {
    const answer = await post(await vendorOf(respond(204)))
    expect([answer.status, await answer.read(), await answer.read()]).toEqual([204, undefined, undefined])
  })

  test('100 and 103 are skipped', async () => {
    const answer = await post(await vendorOf(informed([100, 103], respond(200, {}, 'real'))))
    expect([answer.status, await textOf(answer)]).toEqual([200, 'real'])
  })

  test.each([301, 302, 303, 307, 308])('%i is an answer: it is not followed, and no key goes on', async (status) => {
    const thief = await vendorOf(respond(200, {}, 'stolen'))
    const vendor = await vendorOf(redirect(`${thief.url}/take`, status))
    const answer = await post(vendor, { 'x-api-key': 'sk-secret', authorization: 'Bearer sk-secret' })
    expect(answer.status).toBe(status)
    expect(await textOf(answer)).toBe('')
    expect(thief.connections.accepted).toBe(0)
  })

  test('an unrequested compressed answer arrives uncompressed, without the headers that no longer apply', async () => {
    const body = Bun.gzipSync('plain text')
    const answer = await post(await vendorOf(respond(200, { 'Content-Encoding': 'gzip' }, body)))
    expect(await textOf(answer)).toBe('plain text')
    expect([answer.headers.has('content-encoding'), answer.headers.has('content-length')]).toEqual([false, false])
  })

  test('an encoding that cannot be decoded is an upstream error', async () => {
    expectUpstreamError(await thrownBy(post(await vendorOf(respond(200, { 'Content-Encoding': 'snappy' }, 'abc')))))
  })

  test('without a length the answer ends where the connection ends: only the dialect’s terminator can tell a cut', async () => {
    const answer = await post(await vendorOf(raw('HTTP/1.1 200 OK\r\n\r\ndata: half an ev')))
    expect(await textOf(answer)).toBe('data: half an ev')
  })

  test('pieces arrive as they are sent, each in its time', async () => {
    const vendor = await vendorOf(stream(['one', 'two', 'three'], { everyMs: 50 }))
    const answer = await post(vendor)
    const pieces: string[] = []
    for (let piece = await answer.read(); piece !== undefined; piece = await answer.read()) pieces.push(new TextDecoder().decode(piece))
    expect(pieces).toEqual(['one', 'two', 'three'])
  })
})

describe('faults before the head', () => {
  for (const [name, script] of Object.entries(faults.beforeHead)) {
    test(`${name}: upstream_error, and the request was sent once`, async () => {
      const vendor = await vendorOf(script)
      expectUpstreamError(await thrownBy(post(vendor)))
      expect(vendor.requests.length).toBe(1)
    })
  }

  test('refused', async () => {
    const vendor = await scriptedUpstream()
    await vendor.close()
    expectUpstreamError(await thrownBy(post(vendor)))
  })

  test('no such name', async () => {
    expectUpstreamError(await thrownBy(post({ url: 'http://parley-test.invalid' })))
  })

  test('TLS towards something that does not speak it', async () => {
    const plain = createServer((socket) => socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')))
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve))
    const { port } = plain.address() as AddressInfo
    expectUpstreamError(await thrownBy(post({ url: `https://127.0.0.1:${port}` })))
    plain.close()
  })

  test('a self-signed certificate is refused before the key or the prompt is sent', async () => {
    const untrusted = Bun.serve({ port: 0, hostname: '127.0.0.1', tls: selfSigned('localhost'), fetch: () => new Response('stolen') })
    const insecurely = await fetch(`https://localhost:${untrusted.port}`, { tls: { rejectUnauthorized: false } })
    expect(await insecurely.text()).toBe('stolen')
    const error = await thrownBy(post({ url: `https://localhost:${untrusted.port}` }))
    expectUpstreamError(error)
    expect((error as GatewayError).cause).toBe('DEPTH_ZERO_SELF_SIGNED_CERT')
    await untrusted.stop(true)
  })

  test('a fresh one is not sent over a connection that was used before', async () => {
    const vendor = await vendorOf(soonOk)
    const used = await pooled(vendor)
    const { accepted } = vendor.connections
    const request = { method: 'POST' as const, url: `${vendor.url}/v1/chat/completions`, headers: {}, body: '{"a":1}' }
    await textOf(await upstream.open({ ...request, fresh: true }, new AbortController().signal))
    expect(vendor.requests.at(-1)?.connection).not.toBe(used)
    expect(vendor.connections.accepted).toBe(accepted + 1)
  })

  test('a pooled connection that dies under the request is reported, never silently repeated', async () => {
    const vendor = await vendorOf(soonOk)
    await pooled(vendor)
    const before = [vendor.requests.length + 1, vendor.connections.accepted]
    vendor.answer(faults.beforeHead.reset)
    expectUpstreamError(await thrownBy(post(vendor)))
    expect([vendor.requests.length, vendor.connections.accepted]).toEqual(before)
  })

  test('a connection that the upstream closed while it was idle is not used again', async () => {
    const vendor = await vendorOf(closing(respond(200, {}, 'ok')))
    for (let i = 0; i < 20; i++) {
      expect(await textOf(await post(vendor))).toBe('ok')
      await vendor.exchanges[i]?.gone
    }
    expect([vendor.requests.length, vendor.connections.accepted]).toEqual([20, 20])
  })
})

describe('faults in the body', () => {
  for (const [name, script] of Object.entries(faults.inBody)) {
    test(`${name}: never a clean end`, async () => {
      const vendor = await vendorOf(script)
      const answer = await post(vendor)
      expect(answer.status).toBe(200)
      expectUpstreamError(await thrownBy(textOf(answer)))
      // It stays broken, and cancel does not throw.
      expectUpstreamError(await thrownBy(answer.read()))
      answer.cancel()
    })
  }
})

describe('stopping', () => {
  const closesWithin = async (vendor: ScriptedUpstream, number = 0) => {
    const before = systemClock.monotonic()
    await vendor.exchanges[number]?.gone
    return systemClock.monotonic() - before
  }

  test('cancel in the middle reaches the upstream, and what follows is no clean end', async () => {
    const vendor = await vendorOf(stream(['one'], { ending: 'hang' }))
    const answer = await post(vendor)
    await answer.read()
    const pending = thrownBy(answer.read())
    answer.cancel()
    answer.cancel()
    expect(await closesWithin(vendor)).toBeLessThan(2000)
    expect(await pending).toMatchObject({ code: 'client_closed_request' })
    expect(await thrownBy(answer.read())).toMatchObject({ code: 'client_closed_request' })
  })

  test('cancel before the first read', async () => {
    const vendor = await vendorOf(faults.hangAfterHead)
    const answer = await post(vendor)
    answer.cancel()
    expect(await closesWithin(vendor)).toBeLessThan(2000)
  })

  test('cancel after the end, and of an answer without a body', async () => {
    const vendor = await vendorOf(respond(200, {}, 'ok'))
    const answer = await post(vendor)
    await textOf(answer)
    answer.cancel()
    vendor.answer(respond(204))
    const empty = await post(vendor)
    empty.cancel()
    expect(vendor.requests.length).toBe(2)
  })

  test('abort before the head rejects with the reason and reaches the upstream', async () => {
    const vendor = await vendorOf(faults.hang)
    const controller = new AbortController()
    const pending = thrownBy(post(vendor, {}, controller.signal))
    await vendor.received(0)
    const reason = new GatewayError('upstream_timeout', 'too slow')
    controller.abort(reason)
    expect(await pending).toBe(reason)
    expect(await closesWithin(vendor)).toBeLessThan(2000)
  })

  test('abort in the middle rejects the read with the reason and reaches the upstream', async () => {
    const vendor = await vendorOf(stream(['one'], { ending: 'hang' }))
    const controller = new AbortController()
    const answer = await post(vendor, {}, controller.signal)
    await answer.read()
    const pending = thrownBy(answer.read())
    const reason = new GatewayError('client_closed_request', 'left')
    controller.abort(reason)
    expect(await pending).toBe(reason)
    expect(await thrownBy(answer.read())).toBe(reason)
    expect(await closesWithin(vendor)).toBeLessThan(2000)
    answer.cancel()
  })

  test('an abort from before is honoured without a call', async () => {
    const vendor = await vendorOf(respond(200))
    const reason = new Error('early')
    expect(await thrownBy(post(vendor, {}, AbortSignal.abort(reason)))).toBe(reason)
    expect(vendor.connections.accepted).toBe(0)
  })
})

test('a reader that stops holds the upstream back', async () => {
  const piece = new Uint8Array(256 * 1024)
  const count = 192
  const all = count * piece.length
  const vendor = await vendorOf(async (exchange) => {
    await exchange.head(200, { 'Content-Length': String(all) })
    for (let i = 0; i < count && !exchange.isGone(); i++) await exchange.write(piece)
  })
  const answer = await post(vendor)
  await answer.read()
  const exchange = vendor.exchanges[0]
  let taken = -1
  while (taken !== exchange?.accepted) {
    taken = exchange?.accepted ?? 0
    await wait(300)
  }
  expect(taken).toBeLessThan(32 * 1024 * 1024)
  let read = 0
  for (let next = await answer.read(); next !== undefined; next = await answer.read()) read += next.length
  expect(read).toBeGreaterThan(all - 2 * 1024 * 1024)
}, 120_000)

test('parallel calls stay apart', async () => {
  const held = gate((exchange) => respondJson(200, { asked: exchange.request.header('x-number') })(exchange))
  const vendor = await vendorOf(held.script)
  const answers = Array.from({ length: 50 }, (_, i) => post(vendor, { 'x-number': String(i) }))
  await vendor.received(49)
  held.open()
  const texts = await Promise.all(answers.map(async (answer) => textOf(await answer)))
  expect(texts).toEqual(texts.map((_, i) => JSON.stringify({ asked: String(i) })))
})
