/** Uploads from outside: memory during many at once, limits, malformed forms, disconnecting clients, and no files left behind. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { engines } from '#testing/database/database'
import { type Gateway, startGateway } from './support/gateway.ts'

const mebibyte = 1024 * 1024
const model = 'whisper-1'

interface Arrived {
  length: string | undefined
  encoding: string | undefined
  /** Size and digest of what arrived. */
  size: number
  digest: string
  /** The peer disconnected before the body was complete. */
  broke: boolean
}

let gateway: Gateway
let vendor: Server
let folder: string
const arrived: Arrived[] = []
/** Bodies are read only once this many requests have arrived. */
let awaited = 1
let waiting: (() => void)[] = []

async function read(request: IncomingMessage): Promise<void> {
  await new Promise<void>((resolve) => {
    waiting.push(resolve)
    if (waiting.length < awaited) return
    for (const go of waiting) go()
    waiting = []
  })
  const hash = createHash('sha256')
  const one: Arrived = {
    length: request.headers['content-length'],
    encoding: request.headers['transfer-encoding'],
    size: 0,
    digest: '',
    broke: false,
  }
  arrived.push(one)
  try {
    for await (const chunk of request) {
      one.size += chunk.length
      hash.update(chunk)
    }
  } catch {
    one.broke = true
  }
  one.digest = hash.digest('hex')
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parley-uploads-'))
  const spool = join(folder, 'data', 'spool')
  mkdirSync(spool, { recursive: true })
  writeFileSync(join(spool, 'left-by-an-earlier-run'), 'x')
  vendor = createServer((request, response) => {
    void read(request).then(() => response.setHeader('content-type', 'application/json').end('{"text":"heard"}'))
  })
  await new Promise<void>((resolve) => vendor.listen(0, '127.0.0.1', resolve))
  gateway = await startGateway(engines[0] ?? 'embedded', { folder, env: { PARLEY_DEMO: 'off' } })
  await gateway.channel('ears', `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`, { vendor: 'openai', models: [model] })
  await gateway.price(model, { second: '0.0001' })
}, 90_000)

afterAll(async () => {
  await gateway?.close()
  vendor?.closeAllConnections()
  vendor?.close()
  rmSync(folder, { recursive: true, force: true })
})

const spooled = () => readdirSync(join(folder, 'data', 'spool'))

async function until(what: () => boolean, ms = 10_000): Promise<void> {
  for (let waited = 0; !what() && waited < ms; waited += 20) await new Promise((resolve) => setTimeout(resolve, 20))
  expect(what()).toBe(true)
}

const chunk = new Uint8Array(64 * 1024).map((_, i) => (i * 31) % 251)

/** A form whose file is `size` bytes, made as it is sent; the model comes last. */
function form(size: number, { ending = '\r\n--BOUNDARY--\r\n', boundary = 'BOUNDARY' } = {}) {
  const head = Buffer.from(
    '--BOUNDARY\r\nContent-Disposition: form-data; name="file"; filename="a.mp3"\r\nContent-Type: audio/mpeg\r\n\r\n',
  )
  const tail = Buffer.from(`\r\n--BOUNDARY\r\nContent-Disposition: form-data; name="model"\r\n\r\n${model}${ending}`)
  async function* bytes() {
    yield head
    for (let left = size; left > 0; left -= chunk.length) yield chunk.subarray(0, Math.min(left, chunk.length))
    yield tail
  }
  return { bytes, length: head.length + size + tail.length, type: `multipart/form-data; boundary=${boundary}` }
}

const post = (body: ReturnType<typeof form>) =>
  fetch(`${gateway.url}/v1/audio/transcriptions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.key}`, 'content-type': body.type },
    body: body.bytes() as unknown as BodyInit,
  })
const postText = (text: string) =>
  fetch(`${gateway.url}/v1/audio/transcriptions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'multipart/form-data; boundary=BOUNDARY' },
    body: text,
  })

/** Resident mebibytes of the program, its database included. */
const resident = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${gateway.program.pid}/status`, 'utf8'))?.[1] ?? 0) / 1024

test('what an earlier run left is gone before the first request', () => expect(spooled()).toEqual([]))

test('twenty uploads of 20 MiB at once: memory stays flat, every byte arrives, with its length', async () => {
  await (await post(form(20 * mebibyte))).text()
  arrived.length = 0
  awaited = 20
  const before = resident()
  let peak = before
  const sampling = setInterval(() => {
    peak = Math.max(peak, resident())
  }, 10)
  const answers = await Promise.all(Array.from({ length: 20 }, () => post(form(20 * mebibyte))))
  clearInterval(sampling)
  awaited = 1
  expect(answers.map(({ status }) => status)).toEqual(new Array(20).fill(200))
  expect(arrived).toHaveLength(20)
  for (const { length, encoding, size } of arrived) {
    expect(encoding).toBeUndefined()
    expect(size).toBe(Number(length))
    expect(size).toBeGreaterThan(20 * mebibyte)
  }
  console.log(`resident: ${before.toFixed(0)} MiB before, ${peak.toFixed(0)} MiB at most while 20 uploads of 20 MiB passed`)
  // Less than the bytes that pass: buffers of sockets and garbage not yet collected (about 200 on a quiet machine).
  expect(peak - before).toBeLessThan(400)
  await until(() => spooled().length === 0)
}, 120_000)

test('the limits: exactly 25 MiB passes, a byte more is 413, and so is a body that says it is over 100 MiB', async () => {
  expect((await post(form(25 * mebibyte))).status).toBe(200)
  for (const [size, param] of [
    [25 * mebibyte + 1, 'file'],
    [26 * mebibyte, 'file'],
  ] as const) {
    const answer = await post(form(size))
    expect([answer.status, await answer.json()]).toMatchObject([413, { error: { code: 'request_too_large', param } }])
  }
  const huge = await told(`Content-Length: ${200 * mebibyte}\r\n`)
  expect(huge).toMatch(/^HTTP\/1\.1 413 /)
  await until(() => spooled().length === 0)
}, 60_000)

/** The answer to a raw request that sends only its head. */
function told(headers: string): Promise<string> {
  const { port } = new URL(gateway.url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1', () =>
      socket.write(
        `POST /v1/audio/transcriptions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${gateway.key}\r\nContent-Type: multipart/form-data; boundary=BOUNDARY\r\n${headers}\r\n`,
      ),
    )
    socket.once('data', (bytes) => {
      resolve(bytes.toString('latin1'))
      socket.destroy()
    })
    socket.once('error', reject)
  })
}

test('forms that are not: a clear 400, nothing charged, nothing left', async () => {
  const field = (name: string) => `--BOUNDARY\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n1\r\n`
  const broken: [what: string, () => Promise<Response>][] = [
    ['10,000 parts', () => postText(`${field('a').repeat(10_000)}--BOUNDARY--\r\n`)],
    ['no final boundary', () => post(form(3 * mebibyte, { ending: '\r\n' }))],
    ['another boundary', () => post(form(3 * mebibyte, { boundary: 'OTHER' }))],
    ['an empty body', () => postText('')],
    ['a name of 64 KB', () => postText(`${field('n'.repeat(65_536))}--BOUNDARY--\r\n`)],
  ]
  const before = arrived.length
  for (const [what, send] of broken) {
    const answer = await send()
    expect([what, answer.status, await answer.json()]).toMatchObject([what, 400, { error: { code: 'invalid_request' } }])
    expect(await gateway.log(answer.headers.get('x-request-id') ?? '')).toMatchObject({ status: 400, cost: '0' })
  }
  expect(arrived.length).toBe(before)
  await until(() => spooled().length === 0)
})

test('a client that leaves in the middle of its upload leaves nothing', async () => {
  const leaving = new AbortController()
  const body = form(20 * mebibyte)
  async function* stalling() {
    let sent = 0
    for await (const piece of body.bytes()) {
      yield piece
      sent += piece.length
      if (sent > 5 * mebibyte) await new Promise((resolve) => setTimeout(resolve, 60_000).unref())
    }
  }
  const outcome = fetch(`${gateway.url}/v1/audio/transcriptions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.key}`, 'content-type': body.type },
    body: stalling() as unknown as BodyInit,
    signal: leaving.signal,
  }).catch(() => 'left')
  await until(() => spooled().length === 1)
  leaving.abort()
  expect(await outcome).toBe('left')
  await until(() => spooled().length === 0)
}, 30_000)

test('a client that leaves while the upstream is slow: the upload goes to its end, is charged, and leaves nothing', async () => {
  awaited = 2
  const leaving = new AbortController()
  const body = form(20 * mebibyte)
  const outcome = fetch(`${gateway.url}/v1/audio/transcriptions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.key}`, 'content-type': body.type },
    body: body.bytes() as unknown as BodyInit,
    signal: leaving.signal,
  }).catch(() => 'left')
  await until(() => waiting.length === 1)
  leaving.abort()
  expect(await outcome).toBe('left')
  awaited = 1
  const before = arrived.length
  expect((await post(form(1000))).status).toBe(200)
  await until(() => arrived.length === before + 2)
  expect(arrived.slice(before).map(({ broke }) => broke)).toEqual([false, false])
  await until(() => spooled().length === 0)
  const { data } = await gateway.admin.call<{ data: { end: string; status: number; cost: string }[] }>('GET', '/api/logs?limit=2')
  expect(data).toContainEqual(expect.objectContaining({ end: 'aborted', status: 499 }))
  for (const { cost } of data) expect(Number(cost)).toBeGreaterThan(0)
}, 30_000)
