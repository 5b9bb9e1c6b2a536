/** Ready-made scripts for the scripted upstream: whole answers, streams, and every way in which an upstream can break HTTP. */
import { gzipSync } from 'node:zlib'
import { systemClock } from '#runtime/clock'
import type { Exchange, Script } from './scripted-upstream.ts'

/** Waits inside a script. */
export const wait = (ms: number) => systemClock.sleep(ms)

/** A whole answer with its length; the connection stays open. */
export function respond(status: number, headers: Record<string, string> = {}, body: string | Uint8Array = ''): Script {
  const bytes = Buffer.from(body)
  return async (exchange) => {
    const bodyless = status === 204 || status === 304
    await exchange.head(status, bodyless ? headers : { ...headers, 'Content-Length': String(bytes.length) })
    if (bytes.length > 0) await exchange.write(bytes)
  }
}

/** A whole JSON answer. */
export const respondJson = (status: number, value: unknown, headers: Record<string, string> = {}): Script =>
  respond(status, { 'Content-Type': 'application/json', ...headers }, JSON.stringify(value))

/** How a stream is paced and ends. */
export interface StreamOptions {
  status?: number
  headers?: Record<string, string>
  /** Milliseconds before each piece and before the ending. */
  everyMs?: number
  /** What happens after the last piece: a proper end, silence, or FIN or RST without the last chunk. */
  ending?: 'end' | 'hang' | 'close' | 'reset'
}

/** A chunked stream of exactly these pieces, one chunk and one TCP write each. Stops when the client disconnects. */
export function stream(pieces: Iterable<string | Uint8Array>, options: StreamOptions = {}): Script {
  return async (exchange) => {
    await exchange.head(options.status ?? 200, {
      'Content-Type': 'text/event-stream',
      'Transfer-Encoding': 'chunked',
      ...options.headers,
    })
    for (const piece of pieces) {
      if (options.everyMs !== undefined) await wait(options.everyMs)
      if (exchange.isGone()) return
      await exchange.chunk(piece)
    }
    // A reset discards what the other side has not read yet, so the last piece gets as much time as the others.
    if (options.everyMs !== undefined) await wait(options.everyMs)
    await finish(exchange, options.ending ?? 'end')
  }
}

async function finish(exchange: Exchange, how: NonNullable<StreamOptions['ending']>): Promise<void> {
  if (how === 'close') return exchange.close()
  if (how === 'reset') return exchange.reset()
  if (how === 'end') await exchange.lastChunk()
}

/** Any bytes, then FIN, or silence if `open`. */
export function raw(bytes: string | Uint8Array, { open = false } = {}): Script {
  return async (exchange) => {
    await exchange.write(bytes)
    if (!open) exchange.close()
  }
}

/** Controls answers that are held back. */
export interface Gate {
  script: Script
  /** Releases every held exchange, and all later ones. */
  open(): void
  /** Number of exchanges that have reached the gate. */
  waiting(): number
}

/** Holds answers until released, so that a test can look at the state meanwhile. */
export function gate(then: Script): Gate {
  const opened = Promise.withResolvers<void>()
  let arrived = 0
  return {
    async script(exchange) {
      arrived += 1
      await Promise.race([opened.promise, exchange.gone])
      if (!exchange.isGone()) await then(exchange)
    },
    open: () => opened.resolve(),
    waiting: () => arrived,
  }
}

/** Sends `bytes` one at a time. */
export function drip(bytes: string | Uint8Array, everyMs: number): Script {
  return async (exchange) => {
    for (const byte of Buffer.from(bytes)) {
      if (exchange.isGone()) return
      await exchange.write(Uint8Array.of(byte))
      await wait(everyMs)
    }
  }
}

/** Sends informational responses (103, 100) before `then`. */
export function informed(statuses: number[], then: Script): Script {
  return async (exchange) => {
    for (const status of statuses) await exchange.head(status, { Link: '</hint>; rel=preload' })
    await then(exchange)
  }
}

/** Answers, then closes the connection although it appeared to be reusable. */
export function closing(then: Script): Script {
  return async (exchange) => {
    await then(exchange)
    exchange.close()
  }
}

/** A redirect to this address. */
export const redirect = (to: string, status = 307): Script => respond(status, { Location: to })

const event = 'data: {"choices":[{"index":0,"delta":{"content":"Hello"}}]}\n\n'
const zipped = gzipSync(event.repeat(2000))
const zippedHead = (length: number) => `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${length}\r\n\r\n`

/** Faults by name. Those in `beforeHead` give no answer at all; the others break a 200 in the middle. */
export const faults = {
  beforeHead: {
    reset: ((exchange) => exchange.reset()) as Script,
    close: ((exchange) => exchange.close()) as Script,
    halfHead: raw('HTTP/1.1 200 OK\r\nContent-Ty'),
    garbage: raw('\u0016\u0003\u0001 this is not HTTP\r\n\r\n'),
    twoLengths: raw('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc'),
    unaskedUpgrade: raw('HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\nConnection: upgrade\r\n\r\n'),
    hugeHead: raw(`HTTP/1.1 200 OK\r\nX-Filler: ${'x'.repeat(2_000_000)}\r\n\r\n`),
  },
  inBody: {
    shortLength: raw(`HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n${event}`),
    noLastChunk: stream([event], { ending: 'close' }),
    resetAfterPiece: stream([event], { everyMs: 20, ending: 'reset' }),
    cutInChunk: raw(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n${event}`),
    badChunkSize: raw(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n${event}\r\n0\r\n\r\n`),
    truncatedGzip: raw(Buffer.concat([Buffer.from(zippedHead(zipped.length - 20)), zipped.subarray(0, -20)])),
    corruptGzip: raw(
      Buffer.concat([Buffer.from(zippedHead(zipped.length)), zipped.subarray(0, 40), Buffer.alloc(zipped.length - 40, 0x5a)]),
    ),
  },
  /** Takes the request and never answers. */
  hang: (() => undefined) as Script,
  /** Sends the head and nothing more. */
  hangAfterHead: stream([], { ending: 'hang' }),
}
