/**
 * The realtime door: a WebSocket that is upgraded only when everything that could refuse it has not. Any origin may come,
 * because nothing but the key lets anyone in.
 */
import type { Caller } from '#accounts/caller'
import { offeredProtocols, readCredential } from '#http/request/credentials'
import { errorResponse } from '#http/request/respond'
import type { Route, Visit } from '#http/request/route'
import type { Realtime } from '#relay/realtime/realtime'
import { modelNotFound } from '#routing/plan'
import { GatewayError } from '#shared/errors'

export interface RealtimeServices {
  accounts: { admitKey(secret: string): Caller }
  realtime: Realtime
}

const subprotocol = 'realtime'
const betaProtocol = 'openai-beta.realtime-v1'

/** 16 bytes in base64 (RFC 6455 section 4.1). What the runtime would not upgrade must not reach an upstream first. */
const keyPattern = /^[A-Za-z0-9+/]{22}==$/

/** Parameters of the vendor's address that would attach to something in its account, or to nothing that Parley serves. */
const foreign = ['call_id', 'intent'] as const

function modelIn(query: URLSearchParams): string {
  for (const name of foreign) {
    if (query.has(name))
      throw new GatewayError('unsupported_value', `A session is opened by model; ${name} is not served here.`, { param: name })
  }
  const [model = '', ...others] = query.getAll('model')
  if (model === '') throw new GatewayError('missing_field', 'Say which model, as ?model=NAME.', { param: 'model' })
  if (others.length > 0) throw new GatewayError('invalid_value', 'Name one model.', { param: 'model' })
  return model
}

/** The header that selects a subprotocol, where some are on offer. Unsaid, the first would be selected: it may hold the key. */
function selection(offered: readonly string[]): Record<string, string> {
  if (offered.length === 0) return {}
  if (offered.includes(subprotocol)) return { 'sec-websocket-protocol': subprotocol }
  throw new GatewayError('invalid_value', 'Offer the subprotocol "realtime" beside the others.', { param: 'Sec-WebSocket-Protocol' })
}

/** An old form of the protocol, which only some models still speak: who asks for it gets it asked for. */
function betaHeader(headers: Headers, offered: readonly string[]): Record<string, string> {
  const wanted = headers.get('openai-beta')?.includes('realtime=v1') || offered.includes(betaProtocol)
  return wanted ? { 'openai-beta': 'realtime=v1' } : {}
}

function upgradeRequired({ requestId }: Visit): Response {
  const refusal = new GatewayError('invalid_request', 'Connect to this address with a WebSocket.', { status: 426 })
  const response = errorResponse(refusal, 'chat', requestId)
  response.headers.set('upgrade', 'websocket')
  return response
}

async function open(services: RealtimeServices, visit: Visit): Promise<Response> {
  const { request, requestId, url } = visit
  const secret = readCredential(request.headers, url.searchParams)
  const caller = services.accounts.admitKey(secret)
  if (!visit.upgrade || request.headers.get('upgrade')?.toLowerCase() !== 'websocket') return upgradeRequired(visit)
  if (!keyPattern.test(request.headers.get('sec-websocket-key') ?? '')) {
    throw new GatewayError('invalid_value', 'The WebSocket needs a key of 16 bytes in base64.', { param: 'Sec-WebSocket-Key' })
  }
  const offered = offeredProtocols(request.headers)
  const model = modelIn(url.searchParams)
  const selected = selection(offered)
  const session = await services.realtime({
    requestId,
    caller,
    model,
    headers: betaHeader(request.headers, offered),
    signal: request.signal,
    readmit() {
      const { models } = services.accounts.admitKey(secret)
      if (models && !models.has(model)) throw modelNotFound()
    },
  })
  const ids = { 'x-request-id': requestId, 'request-id': requestId }
  if (!visit.upgrade(session, { ...ids, ...selected })) session.abandon()
  // Of no consequence after an upgrade; without one there is nobody to read it.
  return new Response(null, { status: 400 })
}

export function realtimeRoutes(services: RealtimeServices): Route[] {
  return [{ method: 'GET', path: '/v1/realtime', envelope: 'chat', slow: true, handle: (visit) => open(services, visit) }]
}
