/** Builds every Response: the relay's replies, JSON, and errors in the caller's own envelope. */
import { allowanceHeaders } from '#protocols/allowances'
import { errorWriters } from '#protocols/index'
import type { Reply } from '#relay/contract/ask'
import type { Clock } from '#runtime/clock'
import { outgoingBody } from '#runtime/outgoing-body'
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

/** Adds what every response has: no guessing of its type, and where the public URL is https (`isSecure`), https for a year. */
export function withGuards(response: Response, isSecure: boolean): Response {
  response.headers.set('x-content-type-options', 'nosniff')
  if (isSecure) response.headers.set('strict-transport-security', strictTransport)
  return response
}

/** A JSON response that must not be cached. */
export const json = (body: unknown, status = 200): Response => jsonText(JSON.stringify(body), status)

/** A response with JSON text that must not be cached. */
export function jsonText(body: string | Uint8Array<ArrayBuffer>, status = 200): Response {
  return new Response(body, { status, headers: { 'content-type': 'application/json', 'cache-control': 'no-store' } })
}

/** An error as a response, in the given envelope. */
export function errorResponse(error: GatewayError, envelope: Envelope, requestId?: string): Response {
  const written = errorWriters[envelope](error, requestId)
  return new Response(written.body, { status: written.status, headers: { 'cache-control': 'no-store', ...written.headers } })
}

/** Tells the caller whether its request is kept. */
export const storedHeader = 'x-parley-stored'

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
  if (capture) headers[storedHeader] = capture.label
  if (typeof reply.body === 'string') {
    capture?.answeredWhole(reply.status, headers, reply.body)
    return new Response(reply.body, { status: reply.status, headers })
  }
  const heartbeat = reply.heartbeat ? { bytes: reply.heartbeat, everyMs: heartbeatMs } : undefined
  headers['x-accel-buffering'] = 'no'
  capture?.answering(reply.status, headers)
  const source = capture ? capture.answerOf(reply.body) : reply.body
  return new Response(outgoingBody(source, clock, heartbeat, idleGuard), { status: reply.status, headers })
}

/** Adds the caller's remaining rate limits, in the headers that clients of its protocol expect. */
export function withAllowances(response: Response, wire: Wire, { left }: Pick<Reply, 'left'>, clock: Pick<Clock, 'now'>): Response {
  for (const [name, value] of Object.entries(allowanceHeaders(wire, left, clock.now()))) response.headers.set(name, value)
  return response
}
