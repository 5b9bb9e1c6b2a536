/**
 * The HTTP client for channels' upstreams. Answers are plain bytes read chunk by chunk; redirects are not followed, nothing is retried or
 * decoded without the relay's knowledge, and no proxy is used but that of the request's `route`. It knows URLs and headers, but no
 * vendors, channels or dialects. Start with `open`.
 *
 * Nothing is retried here, not even on a pooled connection that turned out to be dead: before the headers a runtime reports the same
 * ECONNRESET whether the upstream sent nothing or half a header, so it cannot be proved that nothing was processed, and a POST could
 * be paid twice. The relay decides, by its retry rules.
 */

import type { Clock } from '#runtime/clock'
import type { AbortSignalLike } from '#runtime/contract/abort'
import type { AnswerHeaders, HttpAnswer, HttpCall, HttpClient } from '#runtime/contract/http-client'
import type { CheckedRoute } from '#runtime/contract/route'
import { createHttpClient } from '#runtime/http-client'
import { GatewayError } from '#shared/errors'
import { rejectOnAbort } from './abort.ts'
import type { AddressCheck } from './addresses.ts'
import { checkedRoute, routeFailure } from './route.ts'
import type { ReadNote, Upstream, UpstreamAnswer, UpstreamRequest } from './upstream.ts'

/** Encodings that the runtime's client decodes; anything else would reach the relay as unreadable bytes. */
const decoded = new Set(['identity', 'gzip', 'deflate', 'br', 'zstd'])

/** The network client, with connections of its own. */
export interface HttpUpstream extends Upstream {
  /** Closes idle connections; calls in progress continue. */
  close(): void
}

/**
 * The network client. `check` runs before every call and rejects forbidden addresses; `ofProxies` does the same for proxies, which
 * administrators configure.
 */
export function createHttpUpstream(check: AddressCheck, clock: Pick<Clock, 'monotonic'>, ofProxies = check): HttpUpstream {
  const client = createHttpClient(clock)
  return {
    close: client.close,
    async open(request, signal, connected = () => undefined) {
      signal.throwIfAborted()
      const checking = check(request.url)
      // A check that is still resolving a name must not delay an abort.
      if (checking !== undefined) await rejectOnAbort(checking, signal)
      const route = request.route === undefined ? undefined : await checkedRoute(ofProxies, request.route, signal)
      const addresses = check.addressesOf?.(request.url)
      if (route !== undefined) return answerOf(await overRoute(client, callOf(request, addresses, route, signal, connected), route), signal)
      let answer: HttpAnswer
      try {
        answer = await client.send(callOf(request, addresses, undefined, signal, connected))
      } catch (error) {
        throw failure(unreached, error, signal)
      }
      return answerOf(answer, signal)
    },
  }
}

async function overRoute(client: HttpClient, call: HttpCall, route: CheckedRoute): Promise<HttpAnswer> {
  const { connected, signal } = call
  let stood = false
  const stands = () => {
    stood = true
    connected()
  }
  try {
    return await client.send({ ...call, connected: stands })
  } catch (error) {
    throw routeFailure(route, error, signal, stood) ?? failure(unreached, error, signal)
  }
}

const unreached = 'The upstream could not be reached, or closed the connection without an answer.'

function callOf(
  request: UpstreamRequest,
  addresses: readonly string[] | undefined,
  route: CheckedRoute | undefined,
  signal: AbortSignalLike,
  connected: () => void,
): HttpCall {
  const { method, url, body, fresh = false } = request
  return {
    method,
    url,
    addresses,
    route,
    headers: headersOf(request),
    body: typeof body === 'object' ? body.open() : body,
    fresh,
    signal,
    connected,
  }
}

/** Most names are already in lower case, and testing is faster than converting. */
const lowerCase = (name: string) => (/[A-Z]/.test(name) ? name.toLowerCase() : name)

/** The request's own headers, except those that are set here. */
function headersOf({ headers: own, body }: UpstreamRequest): [name: string, value: string][] {
  const headers: [string, string][] = []
  let hasAgent = false
  for (const name of Object.keys(own)) {
    const known = lowerCase(name)
    if (known === 'accept-encoding' || known === 'content-length') continue
    hasAgent ||= known === 'user-agent'
    headers.push([name, own[name] ?? ''])
  }
  headers.push(['accept-encoding', 'identity'])
  if (!hasAgent) headers.push(['user-agent', 'parley'])
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body?.length
  if (length !== undefined) headers.push(['content-length', String(length)])
  return headers
}

/** Bytes: answers of up to this declared length can be read in one piece, which is cheaper. */
const smallAnswer = 256 * 1024

function answerOf(response: HttpAnswer, signal: AbortSignalLike): UpstreamAnswer {
  const { headers } = response
  const encoding = headers.get('content-encoding')
  if (encoding === null) {
    const isSmall = Number(headers.get('content-length') ?? Number.NaN) <= smallAnswer
    return isSmall ? new SmallAnswer(response, headers, signal) : new NetworkAnswer(response, headers, signal)
  }
  if (!decoded.has(encoding.trim().toLowerCase())) {
    response.cancel()
    throw new GatewayError('upstream_error', 'The upstream used a content encoding that was not requested.')
  }
  return new NetworkAnswer(response, withoutEncoding(headers), signal)
}

/** The client's answer, with the errors of an upstream. */
class NetworkAnswer implements UpstreamAnswer {
  readonly status: number
  readonly headers: AnswerHeaders
  protected readonly response: HttpAnswer
  readonly #signal: AbortSignalLike
  readonly #broken: (error: unknown) => never
  #isCancelled = false
  #note: ReadNote | undefined

  constructor(response: HttpAnswer, headers: AnswerHeaders, signal: AbortSignalLike) {
    this.status = response.status
    this.headers = headers
    this.response = response
    this.#signal = signal
    this.#broken = (error) => this.#breakOff(error)
  }

  read(): Promise<Uint8Array | undefined> {
    return this.refused() ?? this.watched(this.response.read())
  }

  tap(by: ReadNote): void {
    this.#note = by
  }

  cancel(): void {
    this.#isCancelled = true
    this.response.cancel()
  }

  /** Received bytes may still be unread; an aborted answer has no clean end. */
  protected refused(): Promise<never> | undefined {
    if (!this.#isCancelled && !this.#signal.aborted) return undefined
    const reason = this.#isCancelled ? cancelled() : this.#signal.reason
    this.#note?.broke(reason)
    return Promise.reject(reason)
  }

  /** Adds a promise only if there is a listener. */
  protected watched<Bytes extends Uint8Array | undefined>(reading: Promise<Bytes>): Promise<Bytes> {
    const note = this.#note
    if (note === undefined) return reading.catch(this.#broken)
    return reading.then((bytes) => {
      if (bytes) note.read(bytes)
      return bytes
    }, this.#broken)
  }

  #breakOff(error: unknown): never {
    const thrown = this.#isCancelled ? cancelled() : failure(brokenOff, error, this.#signal)
    this.#note?.broke(thrown)
    throw thrown
  }
}

/** An answer that can be read in one piece. */
class SmallAnswer extends NetworkAnswer {
  readAll(): Promise<Uint8Array> {
    return this.refused() ?? this.watched(this.response.readAll())
  }
}

const brokenOff = 'The upstream ended the connection before its answer was complete.'

const cancelled = () => new GatewayError('client_closed_request', 'The answer was cancelled.')

/** The body is already decoded, so its encoding and encoded length no longer apply. */
function withoutEncoding(received: AnswerHeaders): Headers {
  const headers = new Headers([...received])
  headers.delete('content-encoding')
  headers.delete('content-length')
  return headers
}

/** Our own abort keeps its reason. Of any other error only the code is kept: messages of the client contain the URL. */
function failure(message: string, error: unknown, signal: AbortSignalLike): unknown {
  if (signal.aborted) return signal.reason
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
  return new GatewayError('upstream_error', message, { cause: code })
}
