/**
 * The only `fetch` in the house that reaches a channel's upstream. Its answers are plain bytes read piece by piece; nothing
 * is followed, repeated, proxied or decoded behind the relay's back. It knows URLs and headers, but no vendor, channel or
 * dialect. Start with `open`.
 *
 * Nothing is repeated here, not even on a pooled connection that turned out to be dead: before the headers `fetch` reports
 * the same ECONNRESET whether no byte was answered or half a header, so "nothing was answered" cannot be proved and a POST
 * could be paid twice. The relay decides, with its retry rules.
 */
import { GatewayError } from '#shared/errors'
import { untilAborted } from './abort.ts'
import type { AddressCheck } from './addresses.ts'
import type { Upstream, UpstreamAnswer, UpstreamRequest } from './upstream.ts'

/** What this client decodes; anything else would reach the relay as bytes that it cannot read. */
const decoded = new Set(['identity', 'gzip', 'deflate', 'br', 'zstd'])

/** The network client. `check` is asked before every call and refuses addresses that no channel may reach. */
export function createHttpUpstream(check: AddressCheck): Upstream {
  return {
    async open(request, signal) {
      signal.throwIfAborted()
      const checking = check(request.url)
      // A check that is still asking for an address must not hold up an abort.
      if (checking !== undefined) await untilAborted(checking, signal)
      return answerOf(await send(request, signal), signal)
    },
  }
}

async function send(request: UpstreamRequest, signal: AbortSignal): Promise<Response> {
  const headers = new Headers(request.headers)
  headers.set('accept-encoding', 'identity')
  if (!headers.has('user-agent')) headers.set('user-agent', 'parley')
  const { body } = request
  if (typeof body === 'object') headers.set('content-length', String(body.length))
  try {
    return await fetch(request.url, {
      method: request.method,
      headers,
      body: typeof body === 'object' ? body.open() : (body ?? null),
      signal,
      // A redirect would carry the key and the prompt to an address that nobody configured.
      redirect: 'manual',
      // Proxy variables of the environment are not ours, and would pass by the address check.
      proxy: false,
      // The relay's phases hold instead.
      timeout: false,
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
