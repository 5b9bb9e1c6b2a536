/** The client over TLS. Authorities are trusted through the environment only, so a child process makes the calls. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer, type Server, type TLSSocket } from 'node:tls'
import { selfSigned } from '#testing/upstream/self-signed'

type Outcome = Record<string, unknown>

const root = new URL('../..', import.meta.url).pathname
const body = 'é'.repeat(2_000_000)

/** The child's script: every call by name, its outcome as one line of JSON. */
const script = (ports: Record<string, number>) => `
import { createHttpClient } from '#runtime/http-client'
const client = createHttpClient({ monotonic: () => performance.now() })
const signal = new AbortController().signal
const ports = ${JSON.stringify(ports)}
const outcomes = {}
async function note(name, call) {
  let connected = 0
  try {
    const answer = await call(() => { connected++ })
    outcomes[name] = { connected, status: answer.status, bytes: (await answer.readAll()).length }
  } catch (thrown) {
    outcomes[name] = { connected, code: String(thrown?.code ?? thrown) }
  }
}
const send = (name, port, body, more = {}) => (connected) => client.send({
  method: 'POST', url: 'https://' + name + ':' + port + '/', addresses: ['127.0.0.1'], fresh: false, signal, connected, body,
  headers: [['content-length', String(Buffer.byteLength(body))]], ...more,
})
await note('good', send('good.example', ports.good, '{}'))
await note('again', send('good.example', ports.good, '{}'))
await note('large', send('good.example', ports.good, ${JSON.stringify('é')}.repeat(2_000_000)))
await note('wrong', send('other.example', ports.good, '{}'))
await note('expired', send('expired.example', ports.expired, '{}'))
await note('early', send('early.example', ports.early, '{}'))
await note('unknown', send('unknown.example', ports.unknown, '{}'))
await note('address', send('127.0.0.1', ports.good, '{}'))
await note('plain', send('plain.example', ports.plain, '{}'))
await note('pinned', () => client.sendTo({ url: new URL('https://good.example:' + ports.good + '/'), address: '127.0.0.1', headers: {}, signal }))
const pinnedWrong = new URL('https://other.example:' + ports.good + '/')
await note('pinned wrong', () => client.sendTo({ url: pinnedWrong, address: '127.0.0.1', headers: {}, signal }))
const late = new AbortController()
setTimeout(() => late.abort(Object.assign(new Error('late'), { code: 'LATE' })), 200)
await note('mute', send('mute.example', ports.mute, '{}', { signal: late.signal }))
console.log(JSON.stringify(outcomes))
`

const undo: (() => unknown)[] = []
/** Every established connection: the server, the requested name, the negotiated protocol. */
const established: [server: string, name: string | false | null, protocol: string | false | null][] = []
/** Bytes of each server's requests. */
const received: Record<string, number> = {}
let outcomes: Record<string, Outcome>

async function portOf(server: Server | import('node:net').Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  undo.push(() => server.close())
  const address = server.address()
  return typeof address === 'object' ? (address?.port ?? 0) : 0
}

function answering(name: string, certificate: { key: string; cert: string }): Server {
  return createServer({ ...certificate, ALPNProtocols: ['h2', 'http/1.1'] }, (socket: TLSSocket) => {
    established.push([name, socket.servername ?? null, socket.alpnProtocol])
    let left = 0
    socket.on('error', () => undefined)
    socket.on('data', (bytes) => {
      received[name] = (received[name] ?? 0) + bytes.length
      const end = bytes.indexOf('\r\n\r\n')
      if (left === 0) left = Number(/content-length: (\d+)/.exec(bytes.toString('latin1'))?.[1] ?? 0) - (bytes.length - end - 4)
      else left -= bytes.length
      if (left === 0)
        socket.write(Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${3_000_000}\r\n\r\n`), Buffer.alloc(3_000_000)]))
    })
  })
}

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-tls-'))
  undo.push(() => rmSync(folder, { recursive: true }))
  const certificates = {
    good: selfSigned('good.example'),
    expired: selfSigned('expired.example', { from: 2001, until: 2002 }),
    early: selfSigned('early.example', { from: 2045 }),
  }
  writeFileSync(
    join(folder, 'known.pem'),
    Object.values(certificates)
      .map(({ cert }) => cert)
      .join(''),
  )
  const ports: Record<string, number> = {}
  for (const [name, certificate] of Object.entries(certificates)) ports[name] = await portOf(answering(name, certificate))
  ports.unknown = await portOf(answering('unknown', selfSigned('unknown.example')))
  const { createServer: createPlain } = await import('node:net')
  ports.plain = await portOf(
    createPlain((socket) => socket.on('error', () => undefined).once('data', () => socket.end('HTTP/1.1 400 x\r\n\r\n'))),
  )
  ports.mute = await portOf(createPlain((socket) => void socket.on('error', () => undefined)))
  const child = Bun.spawn([process.execPath, '-e', script(ports)], {
    cwd: root,
    env: { PATH: process.env.PATH ?? '', NODE_EXTRA_CA_CERTS: join(folder, 'known.pem') },
    stdout: 'pipe',
    stderr: 'inherit',
  })
  outcomes = JSON.parse(await new Response(child.stdout).text())
  expect(await child.exited).toBe(0)
}, 60_000)

afterAll(() => {
  for (const step of undo.splice(0).reverse()) step()
})

test('a good certificate: SNI is sent, HTTP/1.1 negotiated, and the connection is reused', () => {
  for (const name of ['good', 'again', 'large', 'pinned']) expect(outcomes[name]).toMatchObject({ status: 200, bytes: 3_000_000 })
  expect(outcomes.good?.connected).toBe(1)
  // One for the three calls, and one for the call to an address.
  expect(established.filter(([server, name]) => server === 'good' && name === 'good.example')).toEqual(
    new Array(2).fill(['good', 'good.example', 'http/1.1']),
  )
  expect(received.good).toBeGreaterThan(Buffer.byteLength(body))
})

test.each([
  ['wrong', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ['pinned wrong', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ['address', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ['expired', 'CERT_HAS_EXPIRED'],
  ['early', 'CERT_NOT_YET_VALID'],
  ['unknown', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
])('%s: refused, and the connection never stood', (name, code) => {
  expect(outcomes[name]).toEqual({ connected: 0, code })
})

test('nothing is sent to a server whose certificate was refused', () => {
  expect(Object.keys(received)).toEqual(['good'])
})

test('a server that does not speak TLS, and one that says nothing', () => {
  expect(outcomes.plain).toMatchObject({ connected: 0, code: expect.stringMatching(/SSL|EPROTO|ECONNRESET/) })
  expect(outcomes.mute).toEqual({ connected: 0, code: 'LATE' })
})
