/**
 * The only `fetch` in the house that reaches a channel's upstream. Its answers are plain bytes read piece by piece; nothing
 * is followed, repeated, proxied or decoded behind the relay's back. It knows URLs and headers, but no vendor, channel or
 * dialect. Start with `open`.
 *
 * Nothing is repeated here, not even on a pooled connection that turned out to be dead: before the headers `fetch` reports
 * the same ECONNRESET whether no byte was answered or half a header, so "nothing was answered" cannot be proved and a POST
 * could be paid twice. The relay decides, with its retry rules.
 *
 * `fetch` has no limit for making a connection and no word for when it stands. But it takes nothing from a body that is a stream
 * before the connection, TLS included, stands and the head is written: that moment is the word. A streamed body costs a little
 * more, and an answer that comes within a millisecond costs its connection (fetch has not yet seen the body's end), so an origin
 * that answered a moment ago is believed to be there and gets its text as text.
 */
import type { Clock } from '#runtime/clock'
import { sentText } from '#runtime/sent-text'
import { GatewayError } from '#shared/errors'
import { untilAborted } from './abort.ts'
import type { AddressCheck } from './addresses.ts'
import type { Upstream, UpstreamAnswer, UpstreamRequest } from './upstream.ts'

/** What this client decodes; anything else would reach the relay as bytes that it cannot read. */
const decoded = new Set(['identity', 'gzip', 'deflate', 'br', 'zstd'])

/** Milliseconds for which an origin that answered is believed to be there, and how many origins are remembered. */
const believedMs = 2_000
const mostOrigins = 1000

type SentBody = string | ReadableStream<Uint8Array> | null

/** The network client. `check` is asked before every call and refuses addresses that no channel may reach. */
export function createHttpUpstream(check: AddressCheck, clock: Pick<Clock, 'monotonic'>): Upstream {
  const answeredAt = new Map<string, number>()

  function answered(origin: string): void {
    if (answeredAt.size >= mostOrigins) answeredAt.clear()
    answeredAt.set(origin, clock.monotonic())
  }

  /** The body, told to say when the connection takes it. */
  function bodyOf({ body }: UpstreamRequest, origin: string, connected: () => void): SentBody {
    if (typeof body === 'object') return noticing(body.open(), connected)
    const believed = clock.monotonic() - (answeredAt.get(origin) ?? Number.NEGATIVE_INFINITY) < believedMs
    if (body !== undefined && !believed) return sentText(body, connected)
    connected()
    return body ?? null
  }

  return {
    async open(request, signal, connected = () => undefined) {
      signal.throwIfAborted()
      const checking = check(request.url)
      // A check that is still asking for an address must not hold up an abort.
      if (checking !== undefined) await untilAborted(checking, signal)
      const { origin } = new URL(request.url)
      const response = await send(request, bodyOf(request, origin, connected), signal)
      answered(origin)
      return answerOf(response, signal)
    },
  }
}

/** The same stream, saying when the first of it is taken. */
function noticing(stream: ReadableStream<Uint8Array>, taken: () => void): ReadableStream<Uint8Array> {
  const reader = stream.getReader()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        taken()
        const { done, value } = await reader.read()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}

async function send(request: UpstreamRequest, body: SentBody, signal: AbortSignal): Promise<Response> {
  const headers = new Headers(request.headers)
  headers.set('accept-encoding', 'identity')
  if (!headers.has('user-agent')) headers.set('user-agent', 'parley')
  const length = typeof request.body === 'string' ? Buffer.byteLength(request.body) : request.body?.length
  if (length !== undefined) headers.set('content-length', String(length))
  try {
    return await fetch(request.url, {
      method: request.method,
      headers,
      body,
      signal,
      // A redirect would carry the key and the prompt to an address that nobody configured.
      redirect: 'manual',
      // Proxy variables of the environment are not ours, and would pass by the address check.
      proxy: false,
      // The relay's phases hold instead.
      timeout: false,
      keepalive: request.fresh !== true,
    })
  } catch (error) {
    throw failure('The upstream could not be reached, or closed the connection without an answer.', error, signal)
  }
}

function answerOf(response: Response, signal: AbortSignal): UpstreamAnswer {
  const reader = response.body?.getReader()
  let cancelled = false

  function cancel(): void {
    cancelled = true
    // A body that already broke rejects its cancellation; an unhandled rejection would end the process.
    reader?.cancel().catch(() => undefined)
  }

  async function read(): Promise<Uint8Array | undefined> {
    for (;;) {
      if (cancelled) throw new GatewayError('client_closed_request', 'The answer was cancelled before its end.')
      if (signal.aborted) throw signal.reason
      const piece = await reader?.read().catch((error: unknown) => {
        throw failure('The upstream broke off in the middle of its answer.', error, signal)
      })
      // A cancelled or aborted body reports a clean end; it must not look like one.
      if (cancelled || signal.aborted) continue
      if (piece === undefined || piece.done) return undefined
      if (piece.value.length > 0) return piece.value
    }
  }

  const encoding = response.headers.get('content-encoding')
  if (encoding === null) return { status: response.status, headers: response.headers, read, cancel }
  if (!decoded.has(encoding.trim().toLowerCase())) {
    cancel()
    throw new GatewayError('upstream_error', 'The upstream answered in an encoding that was not asked for.')
  }
  return { status: response.status, headers: withoutEncoding(response.headers), read, cancel }
}

/** The body is plain by now: its encoding and its encoded length are no longer true. */
function withoutEncoding(received: Headers): Headers {
  const headers = new Headers(received)
  headers.delete('content-encoding')
  headers.delete('content-length')
  return headers
}

/** Our own abort keeps its reason. Of anything else only the error code is kept: messages of `fetch` hold the URL. */
function failure(message: string, error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
  return new GatewayError('upstream_error', message, { cause: code })
}
