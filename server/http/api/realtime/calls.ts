/**
 * Calls over WebRTC and SIP: `/v1/realtime/calls`. The client's session description is sent to the upstream and the upstream's is returned;
 * audio then flows directly between the two, and Parley meters usage over a sideband. Only its owner can access a call.
 */
import { senderOf } from '#http/api/relay-route'
import { readCredential } from '#http/request/credentials'
import { decodeUtf8, join, readBody, readJsonPieces } from '#http/request/read-body'
import { type FormServices, isForm, readForm } from '#http/request/read-form'
import type { Route, Visit } from '#http/request/route'
import { withRoom } from '#http/request/with-room'
import { type CallSession, readCallSession } from '#protocols/realtime'
import type { BodyRooms } from '#relay/contract/body-rooms'
import type { CallAsk } from '#relay/realtime/calls'
import type { RealtimeAsk } from '#relay/realtime/contract'
import { modelNotFound } from '#routing/plan'
import { GatewayError } from '#shared/errors'
import { parseAsWritten } from '#shared/exact-numbers'
import type { CallAction } from '#vendors/calls'
import { type ClientSecret, isClientSecret, type SecretServices } from './client-secrets.ts'
import { admission, modelIn, type RealtimeServices } from './realtime.ts'

/** Dependencies. */
export interface CallServices extends RealtimeServices, FormServices, Pick<SecretServices, 'large'> {
  rooms: BodyRooms
}

/** Most bytes of a session description, and of session settings. */
const mostSdp = 256 * 1024
const mostSession = 256 * 1024

const sdpType = /^application\/sdp\s*(;|$)/i
const tooLong = (param: string, most: number) =>
  new GatewayError('request_too_large', `The field \`${param}\` may have at most ${most} bytes.`, { param })

/** The caller, and the client secret if one was sent. */
function entry(services: CallServices, visit: Visit) {
  const { request, requestId, url, clientAddress } = visit
  const secret = readCredential(request.headers, url.searchParams, visit.addressed?.keyHeader)
  const { admit, minted } = admission(services, secret, clientAddress)
  const caller = admit()
  const askAs = (model: string, transcribes = false): RealtimeAsk => ({
    ...{ requestId, caller, model, style: 'openai', headers: {}, client: request.headers, signal: request.signal },
    ...(transcribes && { variant: 'transcription' }),
    readmit() {
      const { models } = admit()
      if (models && !models.has(model)) throw modelNotFound()
    },
  })
  return { caller, minted, askAs }
}

interface Offer {
  sdp: string
  session: string
}

/** A client's offer: a session description, or a form with that and a session. Rejects with GatewayError. */
async function offerOf(services: CallServices, visit: Visit): Promise<Offer> {
  const { request } = visit
  if (!isForm(request)) {
    if (!sdpType.test(request.headers.get('content-type') ?? '')) {
      throw new GatewayError(
        'unsupported_media_type',
        'Send the offer as Content-Type: application/sdp, or as a form with `sdp` and `session`.',
      )
    }
    return { sdp: decodeUtf8(await readBody(request, mostSdp, services.clock, services.idleMs)), session: '' }
  }
  const { content, release } = await readForm(services, request)
  try {
    const field = async (name: string, most: number): Promise<string> => {
      const [part, ...others] = content.parts.filter((one) => one.name === name)
      if (others.length > 0) throw new GatewayError('invalid_value', `The form has more than one \`${name}\`.`, { param: name })
      if (!part) return ''
      // The SDK sends both as files without a name.
      const text = 'value' in part ? part.value : part.size > most ? undefined : await new Response(part.open()).text()
      if (text === undefined || text.length > most) throw tooLong(name, most)
      return text
    }
    return { sdp: await field('sdp', mostSdp), session: await field('session', mostSession) }
  } finally {
    release()
  }
}

/** The session with its model. Throws GatewayError 400. */
function sessionOf(visit: Visit, text: string, minted: ClientSecret | undefined): CallSession & { model: string } {
  if (minted?.transcribes === 'beta') {
    throw new GatewayError(
      'invalid_value',
      'This client secret is from the beta API, which has no calls. Create one at /v1/realtime/client_secrets.',
    )
  }
  const before = minted?.session === undefined ? {} : (parseAsWritten(minted.session) as Record<string, unknown>)
  const session = readCallSession(text, before)
  const sessionModel = session.model
  if (sessionModel === undefined) return { ...session, model: modelIn(visit.url, visit.addressed, minted?.model) }
  if (minted?.model !== undefined && sessionModel !== minted.model) {
    throw new GatewayError('invalid_value', 'The client secret is for another model.', { param: 'session.model' })
  }
  return { ...session, model: sessionModel }
}

async function create(services: CallServices, visit: Visit): Promise<Response> {
  const { caller, minted, askAs } = entry(services, visit)
  const { sdp, session: text } = await withRoom(services.rooms, senderOf(caller), () => offerOf(services, visit), isForm(visit.request))
  if (sdp.trim() === '') throw new GatewayError('missing_field', 'The offer is empty.', { param: 'sdp' })
  const { model, ...session } = sessionOf(visit, text, minted)
  const asked: CallAsk = { ask: askAs(model, session.transcribes), session, address: visit.clientAddress }
  const { id, sdp: answer } = await services.callEndpoints.open(asked, sdp)
  const headers = { 'content-type': 'application/sdp', 'cache-control': 'no-store', location: `/v1/realtime/calls/${id}` }
  return new Response(answer, { status: 201, headers })
}

/** A JSON body, as text; undefined for none. */
async function jsonOf(services: CallServices, visit: Visit, caller: Parameters<typeof senderOf>[0]): Promise<string | undefined> {
  const { request } = visit
  if (request.body === null) return undefined
  const { pieces, bytes } = await withRoom(services.rooms, senderOf(caller), (room) => readJsonPieces(request, services, room))
  if (bytes > mostSession) throw tooLong('session', mostSession)
  return bytes === 0 ? undefined : decodeUtf8(join(pieces))
}

const keyOnly = () => new GatewayError('invalid_api_key', 'A client secret opens its own session. Use the API key itself for calls.')

async function act(services: CallServices, visit: Visit, action: CallAction): Promise<Response> {
  const { caller, minted, askAs } = entry(services, visit)
  if (minted) throw keyOnly()
  const id = visit.params.id ?? ''
  const text = await jsonOf(services, visit, caller)
  if (action === 'accept') {
    const { model = '', ...session } = readCallSession(text ?? '', {}, 'body')
    if (model === '') throw new GatewayError('missing_field', 'Name the model that is to take the call.', { param: 'model' })
    await services.callEndpoints.accept({ ask: askAs(model, session.transcribes), session, address: visit.clientAddress }, id)
  } else await services.callEndpoints.act(askAs(''), id, action, text)
  return new Response(null, { status: 200, headers: { 'cache-control': 'no-store' } })
}

/** Client secrets are given to pages of other sites; keys are not. */
const hasClientSecret = ({ headers }: Request) => isClientSecret(/^bearer +(.+)$/i.exec(headers.get('authorization') ?? '')?.[1] ?? '')

/** Not among `furtherAddresses`, which require a key: a page has a client secret. */
const azureAddress = '/openai/v1/realtime/calls'

/** `/v1/realtime/calls`, and the actions on a call. */
export function callRoutes(services: CallServices): Route[] {
  const post = (path: string, handle: Route['handle']): Route => ({ method: 'POST', path, envelope: 'chat', slow: true, handle })
  function open(visit: Visit): Promise<Response> {
    if (visit.url.pathname === azureAddress) visit.addressed = { keyHeader: 'api-key' }
    return create(services, visit)
  }

  const action = (name: CallAction) => post(`/v1/realtime/calls/:id/${name}`, (visit) => act(services, visit, name))
  return [
    { ...post('/v1/realtime/calls', open), also: [azureAddress], forOtherSites: hasClientSecret },
    ...[action('accept'), action('reject'), action('refer'), action('hangup')],
  ]
}
