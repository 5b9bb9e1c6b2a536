/**
 * Gemini's live sessions: a WebSocket at `/ws/google.ai.generativelanguage.VERSION.GenerativeService.BidiGenerateContent`, or for clients
 * of Google's cloud at `/ws/google.cloud.aiplatform.VERSION.LlmBidiService/BidiGenerateContent`. The first frame names the model. The key
 * is checked before the connection is accepted; the upstream is connected once that frame has arrived, and a later refusal
 * closes the connection with its message as the reason, since the protocol has no other place for it.
 */
import type { Caller } from '#accounts/caller'
import type { GoogleService } from '#canonical/operation/realtime'
import type { OpenSockets } from '#http/api/open-sockets'
import { readCredential } from '#http/request/credentials'
import { storedHeader } from '#http/request/respond'
import type { Route, Visit } from '#http/request/route'
import { liveCloseCode, lockedSetup, readLiveSetup } from '#protocols/realtime'
import type { Handles, KeptSession } from '#relay/realtime/contract'
import type { Session } from '#relay/realtime/session'
import { modelNotFound } from '#routing/plan'
import type { Clock } from '#runtime/clock'
import type { ClientListener, FrameSocket, SocketFrame } from '#runtime/contract/sockets'
import type { Sealer } from '#runtime/secrets'
import { asGatewayError, GatewayError } from '#shared/errors'
import { type TokenEntry, type TokenServices, tokenEntry } from './live-tokens.ts'
import { type RealtimeServices, upgradeRefusal } from './realtime.ts'

/** What live sessions need from the program. */
export interface LiveServices extends RealtimeServices, TokenServices {
  accounts: RealtimeServices['accounts'] & TokenServices['accounts']
  /** Connections that wait for their first frame. */
  responseSockets: OpenSockets
}

/** Milliseconds for the first frame. */
const firstFrameMs = 30_000
/** Most bytes of the first frame, and of those that arrive before the upstream is connected. */
const mostSetup = 1024 * 1024
const mostWaiting = 4 * 1024 * 1024

const services = {
  api: /^google\.ai\.generativelanguage\.v1(?:alpha|beta)?\.GenerativeService\.BidiGenerateContent(?:Constrained)?$/,
  cloud: /^google\.cloud\.aiplatform\.v1(?:beta1)?\.LlmBidiService\/BidiGenerateContent$/,
} as const

const namedIn = ({ params: { service = '', method } }: Visit) => (method === undefined ? service : `${service}/${method}`)

/** Whether clients of this address send a token instead of a key. */
const takesToken = (visit: Visit) => namedIn(visit).endsWith('Constrained')

/** The service that the address names. Throws `unsupported_here` for any other. */
function serviceAt(visit: Visit): GoogleService {
  if (services.api.test(namedIn(visit))) return 'api'
  if (services.cloud.test(namedIn(visit))) return 'cloud'
  throw new GatewayError('unsupported_here', 'Parley serves only BidiGenerateContent here. Connect to that.')
}

const restart = 1012
const late = 1008

const textOf = (frame: SocketFrame): string => (typeof frame === 'string' ? frame : new TextDecoder().decode(frame))

/** Session handles are sealed: they contain the session's location, and are of no use to other tenants. */
function handlesFor(sealer: Sealer, tenant: string, named: string | undefined): Handles {
  const as = JSON.stringify(['live session', tenant])
  const clientHandle = (session: KeptSession) => sealer.seal(JSON.stringify(session), as)
  if (named === undefined) return { clientHandle }
  try {
    return { clientHandle, from: JSON.parse(sealer.open(named, as)) as KeptSession }
  } catch {
    throw new GatewayError('not_found', 'There is no session with this handle.', { param: 'setup.sessionResumption.handle' })
  }
}

/** How a waiting connection continues. */
interface Beginning {
  /** Begins the session that the first frame requests. Rejects with GatewayError. */
  begin(text: string, signal: AbortSignal): Promise<Session>
  /** No session will begin. */
  none(): void
}

/** A connection that waits for its first frame; then it is the session. */
function waitingFor(clock: Clock, sockets: OpenSockets, { begin, none }: Beginning): ClientListener {
  const leaving = new AbortController()
  const waiting: SocketFrame[] = []
  let bytes = 0
  let socket: FrameSocket | undefined
  let session: Session | undefined
  let stage: 'silent' | 'dialling' | 'over' = 'silent'
  const forget = sockets.add({ drain: () => (stage === 'silent' ? close(restart, 'Parley is restarting.') : undefined) })
  const limit = clock.after(firstFrameMs, () =>
    refuse(new GatewayError('invalid_request', 'The first frame, `setup`, did not arrive in time.')),
  )

  function over(): void {
    if (stage === 'silent') none()
    stage = 'over'
    limit.cancel()
    forget()
    leaving.abort()
  }

  function close(code: number, reason: string): void {
    if (stage === 'over') return
    over()
    socket?.close(code, reason)
  }

  const refuse = (error: GatewayError) => close(liveCloseCode(error), error.message)

  async function start(text: string): Promise<void> {
    try {
      const begun = await begin(text, leaving.signal)
      // The client disconnected while the upstream was dialled.
      if (stage === 'over' || !socket) return begun.abandon()
      limit.cancel()
      forget()
      session = begun
      socket.resume()
      begun.opened(socket)
      for (const frame of waiting.splice(0)) begun.message(frame)
    } catch (thrown) {
      none()
      refuse(asGatewayError(thrown))
    }
  }

  return {
    opened(opened) {
      socket = opened
      if (stage === 'over') opened.close(late, 'The first frame did not come in time.')
    },
    message(frame) {
      if (session) return session.message(frame)
      if (stage === 'over') return
      bytes += frame.length
      if (bytes > (stage === 'silent' ? mostSetup : mostWaiting)) {
        return refuse(new GatewayError('request_too_large', `The first frame may have at most ${mostSetup} bytes.`))
      }
      if (stage === 'dialling') return void waiting.push(frame)
      stage = 'dialling'
      limit.cancel()
      socket?.pause()
      void start(textOf(frame))
    },
    drained: () => session?.drained(),
    closed(code, reason) {
      if (session) session.closed(code, reason)
      else if (stage !== 'over') over()
    },
  }
}

/** The opener of a connection, by key or token. */
interface Entry {
  /** Throws GatewayError once they may no longer continue. */
  admit(): Caller
  token?: TokenEntry
}

/** Requests the session of its first frame. */
function beginning(services: LiveServices, visit: Visit, { admit, token }: Entry, service: GoogleService) {
  const caller = admit()
  const { requestId, request } = visit
  const { headers } = request
  const keeps = services.house.keep || caller.key?.keepBodies || caller.group.keepBodies
  const capture = keeps ? services.captures.begin(visit, caller) : undefined
  visit.capture = capture
  const begin = async (text: string, signal: AbortSignal): Promise<Session> => {
    capture?.askedFrame(text)
    const begins = token ? lockedSetup(text, token.lock) : text
    const { model, handle } = readLiveSetup(begins)
    const handles = handlesFor(services.sealer, caller.user.id, handle)
    // Resuming a session does not count as a use.
    const used = handles.from ? undefined : await token?.use()
    const session = services.realtime({
      ...{ requestId, caller: admit(), model, style: 'gemini', service, begins, headers: {}, client: headers, capture, signal, handles },
      readmit() {
        const { models } = admit()
        if (models && !models.has(model)) throw modelNotFound()
      },
    })
    if (used) session.catch(() => used.giveBack().catch(() => undefined))
    return session
  }
  function none(): void {
    if (capture && capture.end === undefined) capture.settled('error')
    capture?.answerOver('error')
  }
  return { begin, none, stored: capture?.label }
}

function keyEntryAt(services: LiveServices, { request, url, clientAddress }: Visit): Entry {
  const secret = readCredential(request.headers, url.searchParams)
  const admit = () => services.accounts.admitKey(secret, { clientAddress })
  admit()
  return { admit }
}

function tokenEntryAt(services: LiveServices, visit: Visit): Entry {
  const token = tokenEntry(services, visit)
  token.admit()
  return { admit: token.admit, token }
}

async function open(services: LiveServices, visit: Visit): Promise<Response> {
  const { requestId } = visit
  const entry = takesToken(visit) ? tokenEntryAt(services, visit) : keyEntryAt(services, visit)
  const service = serviceAt(visit)
  const refused = upgradeRefusal(visit, 'gemini')
  if (refused) return refused
  const { stored, ...session } = beginning(services, visit, entry, service)
  const headers = { 'x-request-id': requestId, 'request-id': requestId, ...(stored && { [storedHeader]: stored }) }
  visit.capture?.answering(101, headers)
  const listener = waitingFor(services.clock, services.responseSockets, session)
  if (!visit.upgrade?.(listener, headers)) listener.closed(1006, '')
  // Ignored after an upgrade; without one the client has already left.
  return new Response(null, { status: 400 })
}

/** `/ws/google.ai.generativelanguage...`. */
export function liveRoutes(services: LiveServices): Route[] {
  // Google's SDK adds a second slash after a custom base URL.
  const paths = ['/ws/:service', '/ws/:service/:method'].map((path) => ({ path, also: [`/${path}`] }))
  return paths.map((at) => ({ method: 'GET', ...at, envelope: 'gemini', slow: true, handle: (visit) => open(services, visit) }))
}
