/** Builds every Response: the relay's replies, JSON, and errors in the caller's own envelope. */
import type { Capture } from '#bodies/capture'
import type { WrittenError } from '#canonical/codec'
import { allowanceHeaders } from '#protocols/allowances'
import { errorWriters } from '#protocols/index'
import type { Reply } from '#relay/contract/ask'
import type { Clock } from '#runtime/clock'
import { outgoingBody, type Source, wholeBody } from '#runtime/outgoing-body'
import { nextTurn } from '#runtime/turns'
import type { GatewayError } from '#shared/errors'
import type { Wire } from '#shared/ids'
import type { Envelope, Visit } from './route.ts'

/** Adds the request id under both names, since SDKs look for one or the other. */
export function withRequestId(response: Response, requestId: string): Response {
  response.headers.set('x-request-id', requestId)
  response.headers.set('request-id', requestId)
  return response
}

/** A year, in seconds. */
const strictTransport = 'max-age=31536000'

/** Adds the headers of every response: no content sniffing, and where the public URL is https (`isSecure`), HSTS for a year. */
export function withGuards(response: Response, isSecure: boolean): Response {
  response.headers.set('x-content-type-options', 'nosniff')
  if (isSecure) response.headers.set('strict-transport-security', strictTransport)
  return response
}

/** A JSON response that must not be cached. */
export const json = (body: unknown, status = 200): Response => jsonText(JSON.stringify(body), status)

const jsonHeaders = { 'content-type': 'application/json', 'cache-control': 'no-store' }

/** A response with JSON text that must not be cached. */
export const jsonText = (body: string, status = 200): Response => new Response(wholeBody(body), { status, headers: jsonHeaders })

/** The same for large JSON, in UTF-8, sent a slice at a time. */
export const jsonBytes = (bytes: Uint8Array, { idleGuard }: Pick<Visit, 'idleGuard'>, clock: Clock): Response =>
  new Response(outgoingBody(inTurns([bytes]), clock, undefined, idleGuard), { headers: jsonHeaders })

/** An error as a response, in the given envelope. */
export function errorResponse(error: GatewayError, envelope: Envelope, requestId?: string): Response {
  const written = errorWriters[envelope](error, requestId)
  return new Response(written.body, { status: written.status, headers: { 'cache-control': 'no-store', ...written.headers } })
}

/** Placeholder for the request id in a pre-rendered response. */
const idMark = 'THE-REQUEST-ID'

/** `errorResponse` for an error that may be returned thousands of times a second: rendered once per envelope. */
export function sameErrorResponse(error: GatewayError): (envelope: Envelope, requestId: string) => Response {
  const known = new Map<Envelope, WrittenError>()
  return (envelope, requestId) => {
    let written = known.get(envelope)
    if (!written) {
      const { status, headers, body } = errorWriters[envelope](error, idMark)
      written = { status, headers: { 'cache-control': 'no-store', ...headers }, body }
      known.set(envelope, written)
    }
    return new Response(written.body.replace(idMark, requestId), written)
  }
}

/** Tells the caller whether its request is stored. */
export const storedHeader = 'x-parley-stored'

/** An error as the answer of a request that may be stored. */
export async function captured(capture: Capture, response: Response): Promise<Response> {
  if (capture.label) response.headers.set(storedHeader, capture.label)
  const body = await response.text()
  capture.answeredWhole(response.status, Object.fromEntries(response.headers), body)
  return new Response(body, { status: response.status, headers: response.headers })
}

/** `field:what` for every loss. Tool names may be part of it, so it is limited to header-safe characters and to a maximum length. */
function lossHeader(losses: Reply['losses']): string {
  const list = losses.map(({ field, what }) => `${field.replace(/[^\w.[\]-]/g, '_').slice(0, 80)}:${what}`)
  return [...new Set(list)].join(',').slice(0, 4000)
}

/** The relay's reply as a Response. A stream that is silent for `heartbeatMs` gets a heartbeat. */
export function relayed(
  reply: Reply,
  { idleGuard, capture }: Pick<Visit, 'idleGuard' | 'capture'>,
  { clock, heartbeatMs }: { clock: Clock; heartbeatMs: number },
): Response {
  const headers: Record<string, string> = { 'content-type': reply.contentType, 'cache-control': 'no-cache' }
  if (reply.losses.length > 0) headers['x-parley-losses'] = lossHeader(reply.losses)
  if (capture?.label) headers[storedHeader] = capture.label
  const body = typeof reply.body === 'string' || 'next' in reply.body ? reply.body : (onlySlice(reply.body) ?? inTurns(reply.body))
  if (typeof body === 'string' || body instanceof Uint8Array) {
    capture?.answeredWhole(reply.status, headers, body)
    return new Response(wholeBody(body), { status: reply.status, headers })
  }
  const heartbeat = reply.heartbeat ? { bytes: reply.heartbeat, everyMs: heartbeatMs } : undefined
  headers['x-accel-buffering'] = 'no'
  const all = capture ? undefined : body.whole?.()
  if (all) return new Response(wholeBody(all), { status: reply.status, headers })
  capture?.answering(reply.status, headers)
  const source = capture ? capture.answerOf(body) : body
  return new Response(outgoingBody(source, clock, heartbeat, idleGuard), { status: reply.status, headers })
}

/** Bytes passed on between two yields to others. */
const sliceBytes = 256 * 1024

/** The only slice, if small enough to be sent at once, with its length. */
function onlySlice([first, ...others]: readonly Uint8Array[]): Uint8Array<ArrayBuffer> | undefined {
  return first && others.length === 0 && first.length <= sliceBytes ? new Uint8Array(first) : undefined
}

/** A large body in memory, a slice at a time. */
function inTurns(parts: readonly Uint8Array[]): Source {
  const slices = slicesOf(parts)
  return {
    ready: () => slices.next().value,
    async next() {
      await nextTurn()
      return slices.next().value
    },
    close: () => void slices.return(undefined),
  }
}

function* slicesOf(parts: readonly Uint8Array[]): Generator<Uint8Array, undefined> {
  for (const part of parts) for (let at = 0; at < part.length; at += sliceBytes) yield part.subarray(at, at + sliceBytes)
  return undefined
}

/** Adds the caller's remaining rate limits, in the headers that clients of its protocol expect. */
export function withAllowances(response: Response, wire: Wire, { left }: Pick<Reply, 'left'>, clock: Pick<Clock, 'now'>): Response {
  if (left.requests === undefined && left.tokens === undefined) return response
  for (const [name, value] of Object.entries(allowanceHeaders(wire, left, clock.now()))) response.headers.set(name, value)
  return response
}
