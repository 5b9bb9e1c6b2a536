/**
 * The realtime endpoint: a WebSocket that is upgraded only after every check has passed. Any origin is accepted, because access
 * depends on the key alone.
 */
import type { Caller, Sender } from '#accounts/caller'
import type { Captures } from '#bodies/captures'
import type { KeptCall } from '#canonical/operation/kept-call'
import { offeredProtocols, readCredential } from '#http/request/credentials'
import { errorResponse, storedHeader } from '#http/request/respond'
import type { Envelope, Route, Visit } from '#http/request/route'
import { writeSetup } from '#protocols/realtime'
import type { CallEndpoints } from '#relay/realtime/calls'
import type { Realtime } from '#relay/realtime/contract'
import { modelNotFound } from '#routing/plan'
import type { KeepBodies } from '#shared/console/body'
import { GatewayError } from '#shared/errors'
import { type ClientSecret, isClientSecret, opened, type SecretServices } from './client-secrets.ts'

/** What the realtime endpoint needs from the program. */
export interface RealtimeServices extends Pick<SecretServices, 'sealer' | 'clock'> {
  accounts: { admitKey(secret: string, from: Sender): Caller; callerWithKey(id: string, address: string): Caller | undefined }
  realtime: Realtime
  callEndpoints: CallEndpoints
  captures: Pick<Captures, 'begin'>
  /** Which bodies the installation stores. */
  house: { readonly keep: KeepBodies }
}

const subprotocol = 'realtime'
const betaProtocol = 'openai-beta.realtime-v1'

/** 16 bytes in base64 (RFC 6455 section 4.1). A handshake that the runtime would reject must not reach an upstream. */
const keyPattern = /^[A-Za-z0-9+/]{22}==$/

const transcription = 'transcription'

/** Whether the session only transcribes. Throws GatewayError for other intents. */
function transcribes({ searchParams: query }: URL, minted: ClientSecret | undefined): boolean {
  const intent = query.get('intent')
  if (intent !== null && intent !== transcription) {
    throw new GatewayError('unsupported_value', 'intent is not supported here. Open a session with ?model=NAME.', { param: 'intent' })
  }
  return intent === transcription || minted?.transcribes !== undefined
}

/** The one model that the address names, or the client secret; `bound`: the model of the secret. Throws GatewayError 400. */
export function modelIn({ searchParams: query }: URL, addressed: Visit['addressed'], bound: string | undefined): string {
  // Azure's clients name a deployment.
  const [model = bound ?? '', ...others] = query.getAll(addressed?.keyHeader && query.has('deployment') ? 'deployment' : 'model')
  if (model === '') throw new GatewayError('missing_field', 'Name a model: ?model=NAME.', { param: 'model' })
  if (bound !== undefined && model !== bound) {
    throw new GatewayError('invalid_value', 'The client secret is for another model.', { param: 'model' })
  }
  if (others.length > 0) throw new GatewayError('invalid_value', 'Name only one model.', { param: 'model' })
  return model
}

/** The header that selects a subprotocol, if any are offered. By default the first would be selected, and it may contain the key. */
function selection(offered: readonly string[]): Record<string, string> {
  if (offered.length === 0) return {}
  if (offered.includes(subprotocol)) return { 'sec-websocket-protocol': subprotocol }
  throw new GatewayError('invalid_value', 'The offered subprotocols must include "realtime".', { param: 'Sec-WebSocket-Protocol' })
}

/** The beta version of the protocol, which only some models still support; requested upstream when the client requests it. */
function betaHeader(headers: Headers, offered: readonly string[]): Record<string, string> {
  const wanted = headers.get('openai-beta')?.includes('realtime=v1') || offered.includes(betaProtocol)
  return wanted ? { 'openai-beta': 'realtime=v1' } : {}
}

/** The session's owner, to be called repeatedly; `minted`: the content of its client secret. Throws GatewayError for an invalid secret. */
export function admission(services: RealtimeServices, secret: string, address: string): { admit(): Caller; minted?: ClientSecret } {
  if (!isClientSecret(secret)) return { admit: () => services.accounts.admitKey(secret, { clientAddress: address }) }
  const minted = opened(services, secret)
  if (!minted) throw new GatewayError('invalid_api_key', 'The client secret is not valid, or has expired.')
  const admit = () => {
    const caller = services.accounts.callerWithKey(minted.key, address)
    if (!caller) throw new GatewayError('invalid_api_key', 'The key of this client secret is no longer valid.')
    return caller
  }
  return { admit, minted }
}

/**
 * The refusal of a request that is not a handshake; undefined for a handshake. Throws GatewayError for one that the runtime would reject.
 */
export function upgradeRefusal({ request, requestId, upgrade }: Visit, envelope: Envelope): Response | undefined {
  if (!upgrade || request.headers.get('upgrade')?.toLowerCase() !== 'websocket') {
    const refusal = new GatewayError('invalid_request', 'Connect to this address with a WebSocket.', { status: 426 })
    const response = errorResponse(refusal, envelope, requestId)
    response.headers.set('upgrade', 'websocket')
    return response
  }
  if (keyPattern.test(request.headers.get('sec-websocket-key') ?? '')) return undefined
  throw new GatewayError('invalid_value', 'Sec-WebSocket-Key must be 16 bytes in base64.', { param: 'Sec-WebSocket-Key' })
}

/** The caller's call that a session is to join. Rejects with GatewayError. */
async function callOf(
  { callEndpoints }: RealtimeServices,
  { url }: Visit,
  caller: Caller,
  minted: ClientSecret | undefined,
): Promise<KeptCall> {
  if (minted) throw new GatewayError('invalid_api_key', 'A client secret opens its own session. Use the API key itself to join a call.')
  for (const name of ['model', 'intent']) {
    if (url.searchParams.has(name)) throw new GatewayError('invalid_value', `Give only call_id, without ${name}.`, { param: name })
  }
  return callEndpoints.own({ caller }, url.searchParams.get('call_id') ?? '')
}

async function open(services: RealtimeServices, visit: Visit): Promise<Response> {
  const { request, requestId, url } = visit
  const secret = readCredential(request.headers, url.searchParams, visit.addressed?.keyHeader)
  // Read now: after the upgrade the runtime may no longer know it.
  const { clientAddress } = visit
  const { admit, minted } = admission(services, secret, clientAddress)
  const caller = admit()
  const refused = upgradeRefusal(visit, 'chat')
  if (refused) return refused
  const offered = offeredProtocols(request.headers)
  const call = url.searchParams.has('call_id') ? await callOf(services, visit, caller, minted) : undefined
  const isTranscription = call ? call.transcribes === true : transcribes(url, minted)
  const model = call?.model ?? modelIn(url, visit.addressed, minted?.model)
  const selected = selection(offered)
  const keeps = services.house.keep || caller.key?.keepBodies || caller.group.keepBodies
  const capture = keeps ? services.captures.begin(visit, caller) : undefined
  visit.capture = capture
  const session = await services.realtime({
    requestId,
    caller,
    model,
    style: 'openai',
    headers: betaHeader(request.headers, offered),
    client: request.headers,
    capture,
    signal: request.signal,
    ...(isTranscription && { variant: transcription }),
    ...(call && { beside: call }),
    ...(minted?.session !== undefined && { setup: writeSetup(minted.session, minted.transcribes === 'beta') }),
    readmit() {
      const { models } = admit()
      if (models && !models.has(model)) throw modelNotFound()
    },
  })
  const stored: Record<string, string> = capture?.label ? { [storedHeader]: capture.label } : {}
  const headers = { 'x-request-id': requestId, 'request-id': requestId, ...stored, ...selected }
  capture?.answering(101, headers)
  if (!visit.upgrade?.(session, headers)) session.abandon()
  // Ignored after an upgrade; without one the client has already left.
  return new Response(null, { status: 400 })
}

/** `/v1/realtime`. */
export function realtimeRoutes(services: RealtimeServices): Route[] {
  return [{ method: 'GET', path: '/v1/realtime', envelope: 'chat', slow: true, handle: (visit) => open(services, visit) }]
}
