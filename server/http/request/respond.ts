/** Everything that leaves as a Response: replies of the relay, JSON, and errors in the caller's own envelope. */
import { allowanceHeaders } from '#protocols/allowances'
import { errorWriters } from '#protocols/index'
import type { Reply } from '#relay/contract/ask'
import type { Clock } from '#runtime/clock'
import { outgoingBody } from '#runtime/outgoing-body'
import type { GatewayError } from '#shared/errors'
import type { Wire } from '#shared/ids'
import type { Envelope, Visit } from './route.ts'

/** Both names, so that every SDK finds the id under its own. */
export function withRequestId(response: Response, requestId: string): Response {
  response.headers.set('x-request-id', requestId)
  response.headers.set('request-id', requestId)
  return response
}

export const json = (body: unknown, status = 200): Response => jsonText(JSON.stringify(body), status)

export function jsonText(body: string, status = 200): Response {
  return new Response(body, { status, headers: { 'content-type': 'application/json', 'cache-control': 'no-store' } })
}

export function errorResponse(error: GatewayError, envelope: Envelope, requestId?: string): Response {
  const written = errorWriters[envelope](error, requestId)
  return new Response(written.body, { status: written.status, headers: { 'cache-control': 'no-store', ...written.headers } })
}

/** `field:what` for every loss; names of tools may be in it, so only what a header can hold, and not without end. */
function lossHeader(losses: Reply['losses']): string {
  const list = losses.map(({ field, what }) => `${field.replace(/[^\w.[\]-]/g, '_').slice(0, 80)}:${what}`)
  return [...new Set(list)].join(',').slice(0, 4000)
}

/** `heartbeatMs` is the pause after which a silent stream gets its heartbeat. */
export function relayed(
  reply: Reply,
  { pace }: Pick<Visit, 'pace'>,
  { clock, heartbeatMs }: { clock: Clock; heartbeatMs: number },
): Response {
  const headers: Record<string, string> = { 'content-type': reply.contentType, 'cache-control': 'no-cache' }
  if (reply.losses.length > 0) headers['x-parley-losses'] = lossHeader(reply.losses)
  if (typeof reply.body === 'string') return new Response(reply.body, { status: reply.status, headers })
  const heartbeat = reply.heartbeat ? { bytes: reply.heartbeat, everyMs: heartbeatMs } : undefined
  headers['x-accel-buffering'] = 'no'
  return new Response(outgoingBody(reply.body, clock, heartbeat, pace), { status: reply.status, headers })
}

/** Tells the caller what its own limits leave, as its protocol's clients know it. */
export function withAllowances(response: Response, wire: Wire, { left }: Pick<Reply, 'left'>, clock: Pick<Clock, 'now'>): Response {
  for (const [name, value] of Object.entries(allowanceHeaders(wire, left, clock.now()))) response.headers.set(name, value)
  return response
}
