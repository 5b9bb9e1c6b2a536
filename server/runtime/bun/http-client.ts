/**
 * Outgoing HTTP on Bun: its `fetch`, whose options of its own switch off what must not happen.
 *
 * `fetch` has no limit for making a connection and does not say when one is established. But it takes nothing from a streamed
 * body before the connection, TLS included, is established and the head is written: that moment is the signal. A streamed body
 * costs a little more, and an answer within a millisecond costs its connection (`fetch` has not yet seen the end of the body), so
 * an origin that answered a moment ago is assumed to be reachable and gets its text as text.
 */
import { isIP } from 'node:net'
import type { HttpAnswer, HttpCall, HttpClient, PinnedCall } from '#runtime/contract/http-client'
import { noticing, sentText } from './sent-text.ts'

/** Milliseconds for which an origin that answered is assumed to be reachable, and how many origins are remembered. */
const reachableMs = 2_000
const mostOrigins = 1000

/** What both kinds of call switch off. */
const options = {
  // A redirect would carry the key and the prompt to an address that nobody configured.
  redirect: 'manual',
  // A proxy of the environment is not Parley's, and would bypass the address check.
  proxy: false,
  // Parley's own timeouts apply.
  timeout: false,
} as const

/** `Platform.createHttpClient`. */
export function createHttpClient(clock: { monotonic(): number }): HttpClient {
  const answeredAt = new Map<string, number>()

  function answered(origin: string): void {
    if (answeredAt.size >= mostOrigins) answeredAt.clear()
    answeredAt.set(origin, clock.monotonic())
  }

  /** The body, made to report when the connection takes it. */
  function bodyOf({ body, connected }: HttpCall, origin: string): string | ReadableStream<Uint8Array> | null {
    if (typeof body === 'object') return noticing(body, connected)
    const reachable = clock.monotonic() - (answeredAt.get(origin) ?? Number.NEGATIVE_INFINITY) < reachableMs
    if (body !== undefined && !reachable) return sentText(body, connected)
    connected()
    return body ?? null
  }

  return {
    async send(call) {
      const { origin } = new URL(call.url)
      const { method, signal } = call
      const headers = new Headers([...call.headers].map(([name, value]) => [name, value]))
      const response = await fetch(call.url, { ...options, method, headers, body: bodyOf(call, origin), signal, keepalive: !call.fresh })
      answered(origin)
      return answerOf(response, signal)
    },
    sendTo,
    // The connections of `fetch` are those of the process.
    close: () => undefined,
  }
}

async function sendTo({ url, address, headers, signal }: PinnedCall): Promise<HttpAnswer> {
  const pinned = new URL(url)
  pinned.hostname = isIP(address) === 6 ? `[${address}]` : address
  pinned.hash = ''
  const host = url.hostname.replace(/\.+$/, '').replace(/^\[(.*)\]$/, '$1')
  const response = await fetch(pinned, {
    ...options,
    headers: { host: url.host, ...headers },
    ...(isIP(host) === 0 && { tls: { serverName: host } }),
    credentials: 'omit',
    // A kept connection would be found again by its address: the next host there would not be asked for its certificate.
    keepalive: false,
    // A small body that unpacks into a large one stays small.
    decompress: false,
    signal,
  })
  return answerOf(response, signal)
}

function answerOf(response: Response, signal: AbortSignal): HttpAnswer {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  let isWhole = false
  let isCancelled = false
  /** `fetch` reports a clean end for a cancelled or aborted body. */
  function throwIfEnded(): void {
    signal.throwIfAborted()
    if (isCancelled) throw new Error('The answer was cancelled.')
  }
  return {
    status: response.status,
    headers: response.headers,
    async read() {
      reader ??= response.body?.getReader()
      const piece = await reader?.read()
      throwIfEnded()
      return piece?.value
    },
    async readAll() {
      isWhole = true
      const bytes = await response.bytes()
      throwIfEnded()
      return bytes
    },
    cancel() {
      isCancelled = true
      // A body that already broke rejects its cancellation; an unhandled rejection would end the process.
      if (!isWhole) (reader ?? response.body)?.cancel().catch(() => undefined)
    },
  }
}
