/**
 * A raw TCP server on 127.0.0.1 that records every request byte for byte and answers by script, with any bytes at any time, so that it can
 * also break HTTP. It uses no HTTP library, so it sees what was really sent. Ready-made scripts are in `scripted-answers.ts`;
 * `chat-vendor.ts` behaves like a real vendor.
 */
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { type ReceivedRequest, requestReader } from './received-request.ts'

export type { ReceivedRequest }

/** One request and the means to answer it. The connection stays open and takes the next request unless the script closes it. */
export interface Exchange {
  readonly request: ReceivedRequest
  /** Sends bytes as they are. Resolves when the kernel has taken them, or when the connection is gone. */
  write(bytes: string | Uint8Array): Promise<void>
  /** Sends a status line and headers, in the given order and case. */
  head(status: number, headers?: Record<string, string>): Promise<void>
  /** Sends one chunk of a body with `transfer-encoding: chunked`. */
  chunk(bytes: string | Uint8Array): Promise<void>
  /** Sends the last chunk. */
  lastChunk(): Promise<void>
  /** Stops parsing requests on this connection: `onBytes` is given the bytes from now on. */
  listen(onBytes: (bytes: Uint8Array) => void): void
  /** Closes the connection with FIN, after everything written. */
  close(): void
  /** Closes the connection with RST. */
  reset(): void
  /** Resolves when the connection is gone: the client disconnected, or the script closed it. */
  readonly gone: Promise<void>
  isGone(): boolean
  /** Bytes passed to `write` so far, and those that the kernel took; the difference is backpressure. */
  readonly written: number
  readonly accepted: number
}

/** Answers one request. */
export type Script = (exchange: Exchange) => void | Promise<void>

/** A running upstream. */
export interface ScriptedUpstream {
  /** `http://127.0.0.1:PORT`, without a trailing slash. */
  readonly url: string
  /** Every complete request so far, in order of arrival. */
  readonly requests: readonly ReceivedRequest[]
  /** Exchanges in the same order. */
  readonly exchanges: readonly Exchange[]
  /** The request with this number, now or when it arrives. */
  received(number: number): Promise<ReceivedRequest>
  /** Answers all further requests. */
  answer(script: Script): void
  /** Answers one further request each, before `answer` applies. */
  next(...scripts: Script[]): void
  /** Forgets the scripts of `next` that no request has taken. */
  forgetNext(): void
  /** Connections accepted so far, and open now. */
  readonly connections: { readonly accepted: number; readonly open: number }
  /** Closes every connection and the server. */
  close(): Promise<void>
}

/** Starts an upstream. Close it in `finally` or `afterEach`. A script that throws resets its connection and fails `close()`. */
export async function scriptedUpstream(script?: Script): Promise<ScriptedUpstream> {
  let standing = script
  const line: Script[] = []
  const exchanges: Exchange[] = []
  const waiting = new Map<number, PromiseWithResolvers<ReceivedRequest>>()
  const sockets = new Set<Socket>()
  const faults: unknown[] = []
  let accepted = 0

  async function play(exchange: Exchange): Promise<void> {
    const chosen = line.shift() ?? standing
    if (chosen === undefined) throw new Error('a request arrived, but there is no script for it')
    await chosen(exchange)
  }

  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    sockets.add(socket)
    const connection = accepted++
    const gone = Promise.withResolvers<void>()
    const leave = () => gone.resolve()
    socket.on('error', leave)
    socket.on('end', () => {
      leave()
      socket.end()
    })
    socket.on('close', () => {
      sockets.delete(socket)
      leave()
    })
    const reader = requestReader(connection)
    let onBytes: ((bytes: Uint8Array) => void) | undefined
    const listen: Exchange['listen'] = (listener) => {
      onBytes = listener
    }
    socket.on('data', (bytes) => {
      if (onBytes) return onBytes(Buffer.from(bytes))
      for (const request of reader.push(Buffer.from(bytes), () => exchanges.length)) {
        const exchange = exchangeOn(socket, request, gone.promise, listen)
        exchanges.push(exchange)
        waiting.get(request.number)?.resolve(request)
        play(exchange).catch((error: unknown) => {
          faults.push(error)
          exchange.reset()
        })
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get requests() {
      return exchanges.map((exchange) => exchange.request)
    },
    exchanges,
    received(number) {
      const known = exchanges[number]
      if (known !== undefined) return Promise.resolve(known.request)
      const entry = waiting.get(number) ?? Promise.withResolvers<ReceivedRequest>()
      waiting.set(number, entry)
      return entry.promise
    },
    answer(next) {
      standing = next
    },
    next: (...scripts) => void line.push(...scripts),
    forgetNext: () => void line.splice(0),
    connections: {
      get accepted() {
        return accepted
      },
      get open() {
        return sockets.size
      },
    },
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const socket of sockets) socket.destroy()
      await closed
      if (faults.length > 0) throw faults[0]
    },
  }
}

function exchangeOn(socket: Socket, request: ReceivedRequest, gone: Promise<void>, listen: Exchange['listen']): Exchange {
  let written = 0
  let accepted = 0
  let left = false
  void gone.then(() => {
    left = true
  })

  async function write(data: string | Uint8Array): Promise<void> {
    const bytes = typeof data === 'string' ? Buffer.from(data) : data
    written += bytes.length
    if (socket.destroyed) return
    const taken = new Promise<void>((resolve) => {
      socket.write(bytes, (error) => {
        if (!error) accepted += bytes.length
        resolve()
      })
    })
    await Promise.race([taken, gone])
  }

  return {
    request,
    write,
    head: (status, headers = {}) => write(headText(status, headers)),
    chunk: (data) => {
      const bytes = Buffer.from(data)
      return write(Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]))
    },
    lastChunk: () => write('0\r\n\r\n'),
    listen,
    close: () => void socket.end(),
    reset: () => void socket.resetAndDestroy(),
    gone,
    isGone: () => left,
    get written() {
      return written
    },
    get accepted() {
      return accepted
    },
  }
}

const headText = (status: number, headers: Record<string, string>) =>
  `HTTP/1.1 ${status} Scripted\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`
