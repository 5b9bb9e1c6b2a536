/**
 * Misbehaving clients over raw TCP: they disconnect at any moment, read slowly or not at all, send slowly or incompletely, keep idle
 * connections, and pipeline requests. In every case the upstream is released, holds are freed, nothing is mixed up, and all other clients
 * are served.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sampledEngine } from '#testing/database/database'
import { faults, respond, respondJson, stream, wait } from '#testing/upstream/scripted-answers'
import { type Exchange, type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { routes } from './support/faults/routes.ts'
import { goodStream, truth, wireNames, wires, words } from './support/faults/wires.ts'
import { type Gateway, startGateway } from './support/gateway.ts'
import { openSockets } from './support/open-sockets.ts'
import { postText, type RawClient, rawClient, soon } from './support/raw-client.ts'

/** Seconds that a client may neither send nor read; sixty by default. */
const idle = 5
const folder = { data: '' }

interface Row {
  requestId: string
  end: string
  status: number
  cost: string
}

let upstream: ScriptedUpstream
let gateway: Gateway
const undo: (() => unknown)[] = []

beforeAll(async () => {
  upstream = await scriptedUpstream()
  gateway = await startGateway(sampledEngine(import.meta.file), { env: { PARLEY_MAX_IDLE: `${idle}s`, PARLEY_DEMO: 'off' } })
  folder.data = join(gateway.program.folder, 'data')
  for (const name of wireNames) {
    const { vendor, speaks } = wires[name]
    await gateway.channel(name, upstream.url, { vendor, ...(speaks && { speaks }), models: [`of-${name}`] })
    await gateway.price(`of-${name}`)
  }
  await gateway.channel('sound', upstream.url, { vendor: 'openai', models: ['of-sound'] })
  await gateway.price('of-sound')
}, 90_000)

afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
  // A request that was given up before it reached the upstream has left its script behind.
  upstream.forgetNext()
  await gateway.heal()
})

afterAll(async () => {
  await gateway?.close()
  await upstream?.close()
})

async function client(options?: { keep: boolean }): Promise<RawClient> {
  const made = await rawClient(gateway.url, options)
  undo.push(() => made.socket.destroy())
  return made
}

function asking(name: (typeof wireNames)[number], isStream: boolean): string {
  const route = routes[name]
  const model = `of-${name}`
  return postText(route.path(model, isStream), gateway.key, JSON.stringify(route.body(model, isStream)), route.headers)
}

const rows = async () => (await gateway.admin.call<{ data: Row[] }>('GET', '/api/logs?limit=50')).data
const newest = async () => (await rows())[0]
const held = async () => (await gateway.admin.call<{ user: { held: string } }>('GET', '/api/session')).user.held
/** The first row after this one. */
async function rowAfter(before: Row | undefined): Promise<Row | undefined> {
  await soon(async () => (await newest())?.requestId !== before?.requestId)
  return newest()
}
const descriptors = () => readdirSync(`/proc/${gateway.program.pid}/fd`).length
const residentBytes = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${gateway.program.pid}/status`, 'utf8'))?.[1]) * 1024

/** Answers correctly, to check that the server still works. */
async function isWell(): Promise<boolean> {
  upstream.next(respondJson(200, JSON.parse(wires.chat.whole(truth))))
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(routes.chat.body('of-chat', false)),
  })
  return answer.status === 200 && routes.chat.textOf(await answer.text()) === words.join('')
}

describe('a client that leaves', () => {
  /** Milliseconds from the client's end to the upstream's. */
  const took: number[] = []

  async function leaveAt(name: (typeof wireNames)[number], isStream: boolean, pieces: readonly string[]): Promise<Row | undefined> {
    const before = await newest()
    const number = upstream.requests.length
    upstream.next(pieces.length === 0 ? faults.hang : stream(pieces, { ending: 'hang' }))
    const made = await client()
    made.send(asking(name, isStream))
    await upstream.received(number)
    const said = words.filter((word) => pieces.some((piece) => piece.includes(word)))
    if (said.length > 0) await made.until(new RegExp(said.at(-1)?.trim() ?? ''))
    else await wait(30)
    const begun = performance.now()
    made.leave()
    await upstream.exchanges[number]?.gone
    took.push(performance.now() - begun)
    return rowAfter(before)
  }

  test.each([...wireNames])('%s: before the first byte of a stream: nothing is charged', async (name) => {
    expect(await leaveAt(name, true, [])).toMatchObject({ end: 'aborted', status: 499, cost: '0' })
  })

  test.each([...wireNames])('%s: at each event: charged for what came, once any content did', async (name) => {
    const wire = wires[name]
    const pieces = [wire.opening(truth), ...words.map((word) => wire.content(word)), wire.finish(truth)]
    for (let count = 1; count <= pieces.length; count++) {
      const row = await leaveAt(name, true, pieces.slice(0, count))
      // What finishes a Gemini answer is its end.
      if (name === 'gemini' && count === pieces.length) continue
      expect([count, row?.end, row?.status]).toEqual([count, 'aborted', 499])
      if (count > 1) expect([count, Number(row?.cost) > 0]).toEqual([count, true])
    }
  })

  test('the upstream sees it at once, and nothing stays held', async () => {
    took.sort((a, b) => a - b)
    const [median = 0, worst = 0] = [took[took.length >> 1], took.at(-1)]
    console.log(`${took.length} aborts: upstream left after ${median.toFixed(1)} ms, at worst ${worst.toFixed(1)} ms`)
    expect(worst).toBeLessThan(2_000)
    expect(await soon(async () => (await held()) === '0')).toBe(true)
    expect(await isWell()).toBe(true)
  })

  test('one that has said everything and closes its side is answered, or taken for gone; never half', async () => {
    const before = await newest()
    upstream.next(async (exchange) => {
      await wait(300)
      if (!exchange.isGone()) await stream(goodStream(wires.chat))(exchange)
    })
    const made = await client()
    made.send(asking('chat', true))
    made.halfClose()
    await made.ended()
    const row = await rowAfter(before)
    console.log(`half-closed: ${row?.end}, ${made.received()} bytes`)
    if (row?.end === 'complete') expect(made.text()).toContain('[DONE]')
    else expect([row?.end, row?.status, row?.cost, made.received()]).toEqual(['aborted', 499, '0', 0])
    expect(await soon(async () => (await held()) === '0')).toBe(true)
  })
})

describe('a client that reads', () => {
  const big = wires.chat.content('x'.repeat(64 * 1024))

  /** Sends a hundred megabytes as fast as they are taken. */
  async function flood(exchange: Exchange): Promise<void> {
    await exchange.head(200, { 'Content-Type': 'text/event-stream', 'Transfer-Encoding': 'chunked' })
    for (let sent = 0; sent < 1600 && !exchange.isGone(); sent++) await exchange.chunk(big)
  }

  test('a kilobyte a second slows the upstream, and costs no memory', async () => {
    const readers = 10
    expect(await isWell()).toBe(true)
    const before = residentBytes()
    const begun = upstream.exchanges.length
    const clients = await Promise.all(
      Array.from({ length: readers }, async () => {
        upstream.next(flood)
        const made = await client({ keep: false })
        made.socket.pause()
        made.send(asking('chat', true))
        return made
      }),
    )
    // Wait for all requests: a late one would take the answer of the next test.
    expect(await soon(() => upstream.exchanges.length === begun + readers, 40_000)).toBe(true)
    const mostHeld = 16 * 1024 ** 2
    let perReader = Number.POSITIVE_INFINITY
    // What passed and was freed goes back to the system a little later.
    for (let second = 0; second < 8 && (second < 3 || perReader >= mostHeld); second++) {
      for (const { socket } of clients) socket.read(1024)
      await wait(1_000)
      perReader = Math.min(perReader, (residentBytes() - before) / readers)
    }
    const taken = upstream.exchanges.slice(begun).map(({ accepted }) => accepted)
    const megabytes = (bytes: number) => (bytes / 1024 ** 2).toFixed(1)
    console.log(`per slow reader: ${megabytes(Math.max(...taken))} of 100 MB taken, ${megabytes(perReader)} MB of memory`)
    // Includes the kernel buffers of both connections.
    expect(Math.max(...taken)).toBeLessThan(40 * 1024 ** 2)
    expect(perReader).toBeLessThan(mostHeld)
    for (const made of clients) made.leave()
    expect(await soon(() => upstream.exchanges.slice(begun).every((exchange) => exchange.isGone()))).toBe(true)
    expect(await soon(async () => (await held()) === '0')).toBe(true)
  }, 60_000)

  test('nothing more is cut after the limit: the upstream is left, and what was delivered is charged', async () => {
    const before = await newest()
    const number = upstream.exchanges.length
    upstream.next(flood)
    const made = await client({ keep: false })
    made.socket.pause()
    made.send(asking('chat', true))
    await upstream.received(number)
    const begun = performance.now()
    await upstream.exchanges[number]?.gone
    const seconds = (performance.now() - begun) / 1000
    console.log(`cut after ${seconds.toFixed(1)} s; the limit is ${idle} s`)
    expect(seconds).toBeWithin(idle - 1, 60)
    const row = await rowAfter(before)
    expect(row).toMatchObject({ end: 'aborted', status: 499 })
    expect(Number(row?.cost)).toBeGreaterThan(0)
  }, 90_000)

  test('but one that waits for a silent upstream is not', async () => {
    upstream.next(async (exchange) => {
      await exchange.head(200, { 'Content-Type': 'text/event-stream', 'Transfer-Encoding': 'chunked' })
      const [opening = '', first = '', ...rest] = goodStream(wires.chat)
      await exchange.chunk(opening + first)
      await wait((idle + 3) * 1000)
      await exchange.chunk(rest.join(''))
      await exchange.lastChunk()
    })
    const made = await client()
    made.send(asking('chat', true))
    await made.until(/\[DONE\]/, 60_000)
  }, 90_000)

  test('nothing of a whole answer is cut as well, and its connection is free again', async () => {
    upstream.next(respond(200, { 'Content-Type': 'application/json' }, ' '.repeat(40_000_000) + wires.chat.whole(truth)))
    const row = await newest()
    const made = await client({ keep: false })
    made.socket.pause()
    made.send(asking('chat', false))
    expect(await rowAfter(row)).toMatchObject({ end: 'complete' })
    const { localPort } = made.socket
    const isHeld = () => openSockets(gateway.program.pid).some(({ remotePort }) => remotePort === localPort)
    expect(isHeld()).toBe(true)
    expect(await soon(() => !isHeld(), 60_000)).toBe(true)
    made.socket.resume()
    await made.ended()
    expect(made.received()).toBeLessThan(40_000_000)
  }, 90_000)
})

describe('a client that sends', () => {
  test('slowly, but without a pause, is served', async () => {
    upstream.next(respondJson(200, JSON.parse(wires.chat.whole(truth))))
    const text = asking('chat', false)
    const size = Math.ceil(text.length / (idle + 3))
    const made = await client()
    for (let sent = 0; sent < text.length; sent += size) {
      made.send(text.slice(sent, sent + size))
      await wait(1_000)
    }
    await made.until(/^HTTP\/1\.1 200 [\s\S]*\}$/)
  }, 60_000)

  test('half of its request and stops gets an error, and nothing is kept of it', async () => {
    const text = asking('chat', false)
    const made = await client()
    const begun = performance.now()
    made.send(text.slice(0, -10))
    await made.until(/"code":\s*"body_timeout"/, 60_000)
    console.log(`an upload that stopped: 408 after ${((performance.now() - begun) / 1000).toFixed(1)} s`)
    expect(made.text()).toStartWith('HTTP/1.1 408')
    expect(await held()).toBe('0')
  }, 90_000)

  test('half of a large form and stops, or leaves: nothing is left on the disk', async () => {
    const spool = join(folder.data, 'spool')
    const files = () => (existsSync(spool) ? readdirSync(spool) : [])
    const before = files().length
    const part = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\nContent-Type: audio/wav\r\n\r\n'
    const head = postText('/v1/audio/transcriptions', gateway.key, '', {
      'content-type': 'multipart/form-data; boundary=b',
      'content-length': '20000000',
    })
    const half = head + part + 'x'.repeat(3_000_000)
    const [stopping, leaving] = await Promise.all([client(), client()])
    stopping.send(half)
    leaving.send(half)
    expect(await soon(() => files().length >= before + 2)).toBe(true)
    leaving.leave()
    await stopping.until(/^HTTP\/1\.1 408/, 60_000)
    expect(await soon(() => files().length === before)).toBe(true)
  }, 90_000)

  test('half of a head and stops is cut', async () => {
    const made = await client()
    made.send('POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ')
    await made.ended(60_000)
    expect(made.text()).toBe('')
  }, 90_000)

  test('its body only when it was asked to is asked to', async () => {
    upstream.next(respondJson(200, JSON.parse(wires.chat.whole(truth))))
    const [head = '', body = ''] = asking('chat', false).split('\r\n\r\n')
    const made = await client()
    made.send(`${head}\r\nExpect: 100-continue\r\n\r\n`)
    await made.until(/^HTTP\/1\.1 100 Continue\r\n\r\n/)
    made.send(body)
    await made.until(/HTTP\/1\.1 200 [\s\S]*\}$/)
  })

  test('heads without measure is refused; up to the limit it is served', async () => {
    const get = (fields: string) => `GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n${fields}\r\n`
    for (const [fields, status] of [
      [`X-Long: ${'x'.repeat(14_000)}\r\n`, 200],
      [`X-Long: ${'x'.repeat(40_000)}\r\n`, 431],
      [Array.from({ length: 300 }, (_, number) => `X-${number}: x\r\n`).join(''), 431],
    ] as const) {
      const made = await client()
      made.send(get(fields))
      await made.until(new RegExp(`^HTTP/1\\.1 ${status} `))
    }
    expect(await isWell()).toBe(true)
  })

  test('two requests in one breath gets their answers in order, or none: never one for the other', async () => {
    const saying = (text: string) => JSON.parse(wires.chat.whole(truth).replace(words.join(''), text))
    upstream.answer(async (exchange) => {
      const isFirst = exchange.request.text().includes('first?')
      if (isFirst) await wait(300)
      if (!exchange.isGone()) await respondJson(200, saying(isFirst ? 'the first' : 'the second'))(exchange)
    })
    const asked = (what: string) =>
      postText('/v1/chat/completions', gateway.key, JSON.stringify({ model: 'of-chat', messages: [{ role: 'user', content: what }] }))
    const made = await client()
    made.send(asked('first?') + asked('second?'))
    await soon(() => /the second[\s\S]*\}$/.test(made.text()) || made.socket.readableEnded, 5_000)
    const answers = made.text().split('HTTP/1.1 ').slice(1)
    console.log(`two requests in one segment: ${answers.length} answers`)
    const inOrder = ['the first', 'the second'].slice(0, answers.length)
    expect(answers.map((answer) => /the (first|second)/.exec(answer)?.[0])).toEqual(inOrder)
    expect(await soon(async () => (await held()) === '0')).toBe(true)
    // One after the other is how a connection is used.
    const patient = await client()
    for (const what of ['first', 'second', 'first']) {
      patient.send(asked(`${what}?`))
      await patient.until(new RegExp(`the ${what}[\\s\\S]*\\}$`))
    }
  })
})

test('two thousand idle connections do not keep others from being served, and are closed', async () => {
  const count = Math.min(2_000, Math.floor((openFiles() - 200) / 2))
  const before = descriptors()
  const clients: RawClient[] = []
  for (let made = 0; made < count; made += 100) {
    const batch = await Promise.all(Array.from({ length: 100 }, () => client({ keep: false })))
    for (const one of batch) one.send('GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
    await Promise.all(batch.map((one) => soon(() => one.received() > 0)))
    clients.push(...batch)
  }
  const full = descriptors()
  const times: number[] = []
  for (let asked = 0; asked < 30; asked++) {
    const begun = performance.now()
    expect(await isWell()).toBe(true)
    times.push(performance.now() - begun)
  }
  times.sort((a, b) => a - b)
  console.log(`${full - before} idle connections; a request takes ${times[15]?.toFixed(1)} ms, at most ${times.at(-1)?.toFixed(1)} ms`)
  expect(times.at(-1) ?? 0).toBeLessThan(2_000)
  expect(await soon(() => descriptors() <= before + 20, 60_000)).toBe(true)
}, 120_000)

const openFiles = () => Number(/Max open files\s+(\d+)/.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1])
