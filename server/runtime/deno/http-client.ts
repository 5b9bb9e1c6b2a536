/**
 * Outgoing HTTP on Deno: Node's client, because Deno's `fetch` silently ignores what the address rules need (docs/runtimes.md).
 * Every call makes a connection of its own: when a kept one ends without an answer, Deno sends the request a second time.
 */
import { type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP, type Socket } from 'node:net'
import { Readable, type Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'
import { nativeSignal } from '#runtime/contract/abort'
import type { HttpAnswer, HttpClient, PinnedCall } from '#runtime/contract/http-client'

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
}

type Body = string | ReadableStream<Uint8Array> | undefined

/** `Platform.createHttpClient`. */
export function createHttpClient(): HttpClient {
  return {
    async send({ url, method, headers, body, signal, connected, route }) {
      if (route !== undefined) throw Object.assign(new Error('This runtime takes no routes.'), { code: 'ROUTE_UNSUPPORTED' })
      const answer = await exchange(
        new URL(url),
        { method, headers: Object.fromEntries([...headers]), signal: nativeSignal(signal) },
        body,
        connected,
      )
      const encoding = answer.headers['content-encoding']?.trim().toLowerCase() ?? ''
      const decoder = Object.hasOwn(decoders, encoding) ? decoders[encoding]?.() : undefined
      return answerOf(answer, decoder)
    },
    async sendTo(call) {
      return answerOf(await exchange(call.url, pinned(call), undefined, () => undefined))
    },
    // No connection waits for another request.
    close: () => undefined,
  }
}

function pinned({ url, address, headers, signal }: PinnedCall): RequestOptions {
  const host = url.hostname.replace(/\.+$/, '').replace(/^\[(.*)\]$/, '$1')
  // `hostname` counts before `host`, so this is where the address must stand.
  return {
    method: 'GET',
    hostname: address,
    headers: { host: url.host, ...headers },
    signal: nativeSignal(signal),
    ...(isIP(host) === 0 && { servername: host }),
  }
}

function exchange(url: URL, options: RequestOptions, body: Body, connected: () => void): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const secure = url.protocol === 'https:'
  const request = (secure ? requestHttps : requestHttp)(url, { ...options, agent: false })
  request.once('socket', (socket: Socket) => socket.once(secure ? 'secureConnect' : 'connect', connected))
  request.once('response', resolve)
  // Stays: an abort is told once more when the answer is there already.
  request.on('error', reject)
  // Whatever breaks here breaks the request too.
  if (typeof body === 'object') pipeline(Readable.fromWeb(body as never), request).catch(reject)
  else request.end(body)
  return promise
}

function answerOf(message: IncomingMessage, decoder?: Transform): HttpAnswer {
  const headers = new Headers()
  for (let at = 0; at + 1 < message.rawHeaders.length; at += 2)
    headers.append(message.rawHeaders[at] ?? '', message.rawHeaders[at + 1] ?? '')
  const source = decoder === undefined ? message : message.on('error', (thrown) => decoder.destroy(thrown)).pipe(decoder)
  if (decoder !== undefined) decoder.once('close', () => message.destroy())
  // A fault that comes before anybody reads must not end the process.
  source.on('error', () => undefined)
  const pieces: AsyncIterator<Uint8Array> = source[Symbol.asyncIterator]()
  const read = async () => {
    const { done, value } = await pieces.next()
    return done ? undefined : value
  }
  return {
    status: message.statusCode ?? 0,
    headers,
    read,
    async readAll() {
      const all: Uint8Array[] = []
      for (let piece = await read(); piece !== undefined; piece = await read()) all.push(piece)
      return Buffer.concat(all)
    },
    cancel: () => void source.destroy(),
  }
}
