/** The rules of outgoing HTTP on Deno: one child process makes all calls, and the tests check the outcomes. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer as createTlsServer, type TLSSocket } from 'node:tls'
import type { CheckedRoute } from '#runtime/contract/route'
import { denoArguments, denoPath } from '#testing/program/command'
import { faults, redirect, respond } from '#testing/upstream/scripted-answers'
import { type ScriptedProxy, scriptedProxy } from '#testing/upstream/scripted-proxy'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { selfSigned } from '#testing/upstream/self-signed'
import { type TlsFront, tlsFront } from '#testing/upstream/tls-front'

type Outcome = Record<string, unknown>
let outcomes: Record<string, Outcome>
let vendor: ScriptedUpstream
let stranger: ScriptedUpstream
/** Of the raw server: connections made, and bytes taken of the long answer. */
const raw = { connections: 0, taken: 0 }
let front: TlsFront
let tunnel: ScriptedProxy
const serverNames: (string | false | null)[] = []
const proxied: string[] = []
const undo: (() => unknown)[] = []

const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n6;x=y\r\nefghij\r\n0\r\nX-Sum: 1\r\n\r\n'
const plain = (text: string) => `HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n\r\n${text}`
/** More than any buffer between two processes. */
const longBytes = 64 * 1024 * 1024

function answerRaw(socket: Socket, path: string): void {
  const [, what, at] = path.split('/')
  if (what === 'cut') {
    socket.write(chunked.slice(0, Number(at)))
    setTimeout(() => socket.write(chunked.slice(Number(at))), 1)
  } else if (what === 'surplus') socket.write(`${plain('first')}HTTP/1.1 200 OK\r\n`)
  else if (what === 'long') {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${longBytes}\r\n\r\n`)
    const piece = Buffer.alloc(1024 * 1024)
    const next = () => {
      if (raw.taken >= longBytes) return
      raw.taken += piece.length
      socket.write(piece, next)
    }
    next()
  } else socket.write(plain(what === 'taken' ? String(raw.taken) : 'ok'))
}

/** What Deno runs: every call by name, its outcome as one line of JSON. */
const script = (vendorUrl: string, strangerUrl: string, rawUrl: string, tlsPort: number, routes: Record<string, CheckedRoute>) => `
import { createHttpClient } from '#runtime/http-client'
const client = createHttpClient({ monotonic: () => performance.now() })
const outcomes = {}
async function note(name, call) {
  let connected = 0
  try {
    const answer = await call(() => { connected++ })
    const text = new TextDecoder().decode(await answer.readAll())
    const { status, headers } = answer
    outcomes[name] = { connected, status, text, location: headers.get('location'), encoding: headers.get('content-encoding') }
  } catch (thrown) {
    outcomes[name] = { connected, code: thrown instanceof DOMException ? thrown.name : String(thrown?.code ?? thrown?.name) }
  }
}
const open = new AbortController().signal
const send = (path, more = {}) => (connected) => client.send({
  method: 'POST', url: ${JSON.stringify(vendorUrl)} + path, fresh: false, signal: open, body: '{"a":1}', connected,
  headers: new Headers({ 'accept-encoding': 'identity', 'content-length': '7', 'x-extra': 'yes' }), ...more,
})
const pieces = () => new ReadableStream({ start(c) { for (const piece of ['{"a"', ':1}']) c.enqueue(new TextEncoder().encode(piece)); c.close() } })
await note('text', send('/text'))
await note('again', send('/again'))
await note('stream', send('/stream', { body: pieces() }))
await note('redirect', send('/redirect'))
await note('gzip', send('/gzip'))
await note('broken', send('/broken'))
const late = new AbortController()
setTimeout(() => late.abort(), 200)
await note('aborted', send('/hang', { signal: late.signal }))
await note('refused', (connected) => client.send({ method: 'GET', url: 'http://127.0.0.1:9', headers: new Headers(), fresh: true, signal: open, connected }))
const pinned = (url) => () => client.sendTo({ url: new URL(url), address: '127.0.0.1', headers: { accept: 'image/*' }, signal: open })
await note('pinned', pinned('http://files.example:' + new URL(${JSON.stringify(strangerUrl)}).port + '/file'))
await note('pinned gzip', pinned('http://files.example:' + new URL(${JSON.stringify(vendorUrl)}).port + '/gzip'))
await note('certificate', pinned('https://good.example:${tlsPort}/'))
await note('wrong certificate', pinned('https://bad.example:${tlsPort}/'))
for (const [name, route] of Object.entries(${JSON.stringify(routes)}))
  await note(name, (connected) => client.send({
    method: 'POST', url: 'https://up.invalid/', addresses: ['203.0.113.7'], route, headers: new Headers({ 'content-length': '2' }), body: '{}', fresh: false, signal: open, connected,
  }))
const large = 'é'.repeat(4_000_000)
await note('large', send('/large', { body: large, headers: new Headers({ 'content-length': '8000000' }) }))
const rawly = (path) => client.send({ method: 'GET', url: ${JSON.stringify(rawUrl)} + path, headers: [], body: undefined, fresh: false, signal: open, connected: () => undefined })
const cut = []
for (let at = 1; at < ${chunked.length}; at++) cut.push(new TextDecoder().decode(await (await rawly('/cut/' + at)).readAll()))
outcomes.cut = { texts: [...new Set(cut)] }
outcomes.surplus = { text: new TextDecoder().decode(await (await rawly('/surplus')).readAll()) }
await (await rawly('/after')).readAll()
const slow = await rawly('/long')
let bytes = (await slow.read()).length
const takenNow = async () => Number(new TextDecoder().decode(await (await rawly('/taken')).readAll()))
let held = -1
for (let before = -2; held !== before; ) {
  before = held
  await new Promise((resolve) => setTimeout(resolve, 100))
  held = await takenNow()
}
for (let piece = await slow.read(); piece !== undefined; piece = await slow.read()) bytes += piece.length
outcomes.slow = { held, bytes }
console.log(JSON.stringify(outcomes))
Deno.exit(0)
`

beforeAll(async () => {
  vendor = await scriptedUpstream(async (exchange) => {
    const { target } = exchange.request
    if (target === '/redirect') return redirect(`${stranger.url}/taken`)(exchange)
    if (target === '/gzip') return respond(200, { 'Content-Encoding': 'gzip' }, Bun.gzipSync('plain text'))(exchange)
    if (target === '/broken') return faults.inBody.shortLength(exchange)
    if (target === '/hang') return
    return respond(200, {}, 'ok')(exchange)
  })
  stranger = await scriptedUpstream(respond(200, {}, 'a file'))
  const certificate = selfSigned('good.example')
  const tls = createTlsServer(certificate, (socket: TLSSocket) => {
    serverNames.push(socket.servername)
    socket
      .on('error', () => undefined)
      .once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\ntls'))
  })
  const proxy = createServer((socket) => {
    socket
      .on('error', () => undefined)
      .once('data', (bytes) => {
        proxied.push(String(bytes).split('\r\n')[0] ?? '')
        socket.destroy()
      })
  })
  const scripted = createServer({ noDelay: true }, (socket) => {
    raw.connections += 1
    socket.on('error', () => undefined).on('data', (bytes) => answerRaw(socket, String(bytes).split(' ')[1] ?? ''))
  })
  for (const server of [tls, proxy, scripted]) {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    undo.push(() => server.close())
  }
  const folder = mkdtempSync(join(tmpdir(), 'parley-deno-'))
  undo.push(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'known.pem'), certificate.cert)
  const inside = selfSigned('up.invalid')
  const client = selfSigned('client.example')
  const proxyCertificate = selfSigned('proxy.example')
  front = await tlsFront(Number(new URL(vendor.url).port), inside, client.cert)
  tunnel = await scriptedProxy(front.port, { kind: 'https', certificate: proxyCertificate })
  undo.push(
    () => front.close(),
    () => tunnel.close(),
  )
  const ca = inside.cert + proxyCertificate.cert
  const way = { ...{ kind: 'https' as const, host: 'proxy.example' }, port: Number(new URL(tunnel.url).port), credentials: undefined }
  const route = (name: string, tls: CheckedRoute['tls']): CheckedRoute => ({ name, proxy: way, proxyAddresses: ['127.0.0.1'], tls })
  const routes = {
    'own certificates': route('own', { ca, ...client }),
    'nothing shown': route('unshown', { ca }),
    'not believed': route('unbelieved', { ca: inside.cert, ...client }),
  }
  const portOf = (server: Server) => (server.address() as AddressInfo).port
  const text = script(vendor.url, stranger.url, `http://127.0.0.1:${portOf(scripted)}`, portOf(tls), routes)
  const proxyUrl = `http://127.0.0.1:${portOf(proxy)}`
  const child = Bun.spawn([denoPath(), ...denoArguments, '-'], {
    // The import aliases of this package resolve there.
    cwd: new URL('../../..', import.meta.url).pathname,
    stdin: new Blob([text]),
    env: {
      ...process.env,
      NODE_EXTRA_CA_CERTS: join(folder, 'known.pem'),
      DENO_CERT: join(folder, 'known.pem'),
      DENO_NO_UPDATE_CHECK: '1',
      http_proxy: proxyUrl,
      HTTP_PROXY: proxyUrl,
      https_proxy: proxyUrl,
    },
    stderr: 'inherit',
  })
  outcomes = JSON.parse(await new Response(child.stdout).text())
}, 60_000)

afterAll(async () => {
  for (const step of undo.splice(0).reverse()) await step()
  await vendor?.close()
  await stranger?.close()
})

test('what is sent is what was given: no header is added but what HTTP needs, a text keeps its length', () => {
  const text = vendor.requests.find(({ target }) => target === '/text')
  expect(text?.headers.map(([name]) => name.toLowerCase()).sort()).toEqual([
    ...['accept', 'accept-encoding', 'connection', 'content-length', 'host', 'x-extra'],
  ])
  expect([text?.header('accept-encoding'), text?.header('content-length'), text?.text()]).toEqual(['identity', '7', '{"a":1}'])
  const streamed = vendor.requests.find(({ target }) => target === '/stream')
  expect([streamed?.header('content-length'), streamed?.header('transfer-encoding'), streamed?.text()]).toEqual(['7', undefined, '{"a":1}'])
})

test('the caller is notified once of an established connection, and never of a failed one', () => {
  expect(outcomes.text).toMatchObject({ connected: 1, status: 200, text: 'ok' })
  expect(outcomes.stream).toMatchObject({ connected: 1, status: 200 })
  expect(outcomes.refused).toEqual({ connected: 0, code: 'ECONNREFUSED' })
})

test('nothing is followed, repeated or sent through a proxy of the environment', () => {
  expect(outcomes.redirect).toMatchObject({ status: 307, location: `${stranger.url}/taken` })
  expect(stranger.requests.map(({ target }) => target)).toEqual(['/file'])
  expect(proxied).toEqual([])
  for (const path of ['/hang', '/broken']) expect(vendor.requests.filter(({ target }) => target === path).length).toBe(1)
})

test('a connection serves one request after the other, and none after bytes that were not requested', () => {
  expect(vendor.connections.accepted).toBeLessThan(vendor.requests.length)
  expect(outcomes.surplus).toEqual({ text: 'first' })
  // One for all truncated answers and `surplus`, another after it, and one for `taken` while `long` runs.
  expect(raw.connections).toBe(3)
})

test('bodies are whole: large ones, and answers cut anywhere', () => {
  expect(outcomes.large).toMatchObject({ status: 200 })
  expect(vendor.requests.find(({ target }) => target === '/large')?.text()).toBe('é'.repeat(4_000_000))
  expect(outcomes.cut).toEqual({ texts: ['abcdefghij'] })
})

test('a reader that takes nothing holds the upstream back', () => {
  expect(outcomes.slow).toMatchObject({ bytes: longBytes })
  expect(Number(outcomes.slow?.held)).toBeLessThan(longBytes / 2)
})

test('an answer is decoded, breaks where the upstream broke off, and ends with the signal', () => {
  expect(outcomes.gzip).toMatchObject({ status: 200, text: 'plain text', encoding: 'gzip' })
  expect(outcomes.broken).toMatchObject({ code: 'HTTP_INCOMPLETE' })
  expect(outcomes.aborted).toMatchObject({ connected: 1, code: 'AbortError' })
})

test('a call to one address goes there whatever the name says, and says the name', () => {
  expect(outcomes.pinned).toMatchObject({ status: 200, text: 'a file' })
  expect(stranger.requests[0]?.header('host')).toBe(`files.example:${new URL(stranger.url).port}`)
  expect(outcomes['pinned gzip']).toMatchObject({ status: 200, encoding: 'gzip' })
  expect(outcomes['pinned gzip']?.text).not.toBe('plain text')
})

test('over TLS the certificate must be that of the name, not of the address', () => {
  expect(outcomes.certificate).toMatchObject({ status: 200, text: 'tls' })
  expect(outcomes['wrong certificate']).toEqual({ connected: 0, code: 'ERR_TLS_CERT_ALTNAME_INVALID' })
  expect(serverNames).toEqual(['good.example', 'bad.example'])
})

test('a channel’s own authorities count for proxy and upstream, and its certificate is shown', () => {
  expect(outcomes['own certificates']).toMatchObject({ connected: 1, status: 200, text: 'ok' })
  expect(front.seen[0]).toEqual({ name: 'up.invalid', shown: 'client.example' })
  expect(outcomes['nothing shown']).not.toHaveProperty('status')
  expect(outcomes['not believed']).toMatchObject({ connected: 0, code: 'PROXY_UNREACHABLE' })
  expect(new Set(tunnel.asked)).toEqual(new Set(['203.0.113.7:443']))
})
