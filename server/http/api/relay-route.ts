/** Shared by all relay endpoints: check the key, read JSON, call the relay, write the reply. */

import type { Caller, Sender } from '#accounts/caller'
import type { Captures } from '#bodies/captures'
import type { WordingName } from '#canonical/wording'
import { readCredential } from '#http/request/credentials'
import { type JsonServices, readJson } from '#http/request/read-body'
import { jsonText, relayed, withAllowances } from '#http/request/respond'
import type { Visit } from '#http/request/route'
import { withModel } from '#protocols/operations'
import type { CountDialect } from '#relay/admin/count'
import type { Ask, Body, Reply } from '#relay/contract/ask'
import type { BodyRoom, BodyRooms } from '#relay/contract/body-rooms'
import type { LargeAsk } from '#relay/contract/large-body'
import type { Relay } from '#relay/contract/relay'
import { mayNameFiles, type PutFilesIn } from '#relay/conversation/kept-files'
import type { Spool } from '#runtime/spool'
import type { KeepBodies } from '#shared/console/body'
import { openWording } from './reworded.ts'

/** Bytes assumed for a body of undeclared length, until more of it arrives. */
export const undeclaredBytes = 1024 * 1024

/** What the relay's endpoints need from the program. */
export interface RelayServices extends JsonServices {
  rooms: BodyRooms
  accounts: { admitKey(secret: string, from: Sender): Caller }
  relay: (ask: Ask) => ReturnType<Relay>
  heartbeatMs: number
  captures: Pick<Captures, 'begin'>
  /** Which bodies the installation stores: `true`, a share, only failures; checked before `captures` is called. */
  house: { readonly keep: KeepBodies }
  /** Holds uploaded files until the request ends. */
  spool: Spool
  count: (ask: Ask & { dialect: CountDialect }) => Promise<string>
  /** Inserts stored files into requests that name them. */
  putFilesIn: PutFilesIn
}

/** The declared bytes of the body, or `usual`. */
export const declaredBytes = (request: Request, usual: number): number => Number(request.headers.get('content-length') ?? usual)

/** The key of the fair queue for reading large bodies. */
export const senderOf = ({ key, user }: Caller): string => key?.id ?? user.id

/** Whether the request itself asks for strict conversion. */
export const asksStrict = (request: Request): boolean => request.headers.get('x-parley-strict')?.toLowerCase() === 'true'

/** The caller of the request's API key, or of a replay. Throws GatewayError. */
export const admit = (services: Pick<RelayServices, 'accounts'>, visit: Visit): Caller =>
  visit.replay?.caller ??
  services.accounts.admitKey(readCredential(visit.request.headers, visit.url.searchParams, visit.addressed?.keyHeader), visit)

/** Serves a token count for a request. Throws GatewayError. */
export async function count(
  services: RelayServices,
  visit: Visit,
  own: { dialect: CountDialect; path?: string; before?(): void; continued?(ask: Ask, room: BodyRoom): Promise<Body> },
): Promise<Response> {
  const { request, requestId } = visit
  const { before, continued, ...asked } = own
  const caller = admit(services, visit)
  before?.()
  const room = services.rooms.open(senderOf(caller))
  const ask = {
    ...asked,
    requestId,
    caller,
    operation: 'count-tokens' as const,
    bytes: declaredBytes(request, undeclaredBytes),
    body: async () => {
      const as: LargeAsk = { operation: 'count-tokens', ...asked }
      const body = await readJson(request, services, { caller: senderOf(caller), as, room })
      return mayNameFiles(body) ? services.putFilesIn(body, { tenant: caller.user.id, caller: senderOf(caller), as }) : body
    },
    strict: false,
    headers: request.headers,
    signal: request.signal,
  }
  try {
    return jsonText(await services.count(continued ? { ...ask, body: () => continued(ask, room) } : ask))
  } finally {
    room.release()
  }
}

/** How a request in its own wording is passed natively. */
export interface NativeWay {
  as: LargeAsk
  /** Its native form; undefined where it is converted. Rejects with GatewayError for faults in what Parley itself reads. */
  takes(body: Body, caller: Caller): Promise<Body['native']>
}

/** What distinguishes one dialect's endpoint. */
export interface OwnWay extends Pick<Ask, 'dialect'>, Partial<Pick<Ask, 'path' | 'check' | 'operation' | 'headers'>> {
  /** The wording of its clients, which is converted to the dialect. */
  wording?: WordingName
  /** Requests in that wording may also be passed natively. */
  native?: NativeWay
  /** Checks the request before the body is read. Throws GatewayError. */
  before?(): void
  /** Changes the reply's framing. */
  framed?(reply: Reply): Reply
}

/** The body with its named files inserted. */
function withFiles(services: Pick<RelayServices, 'putFilesIn'>, caller: Caller, body: Body, as: LargeAsk): Body | Promise<Body> {
  return mayNameFiles(body) ? services.putFilesIn(body, { tenant: caller.user.id, caller: senderOf(caller), as }) : body
}

/** Serves one generation request of this dialect. Throws GatewayError. */
export async function generate(
  services: RelayServices,
  visit: Visit,
  { before, framed, wording, native, ...own }: OwnWay,
): Promise<Response> {
  const { request, requestId } = visit
  const words = wording && openWording(services.clock, wording)
  const caller = admit(services, visit)
  const { house, captures } = services
  const keeps = house.keep || caller.key?.keepBodies || caller.group.keepBodies || visit.replay
  const capture = keeps ? captures.begin(visit, caller) : undefined
  visit.capture = capture
  const strict = caller.strict || asksStrict(request)
  let passes = false
  const reply = await services.relay({
    operation: 'generate',
    headers: request.headers,
    ...own,
    requestId,
    caller,
    bytes: declaredBytes(request, undeclaredBytes),
    body: async (room) => {
      before?.()
      const { operation = 'generate', dialect, path } = own
      const model = visit.addressed?.model
      const as: LargeAsk = { operation, dialect, ...(path !== undefined && { path }), ...(model && { model }) }
      const worded = wording ? { ...as, wording } : as
      let came = await readJson(request, services, { caller: senderOf(caller), as: native?.as ?? worded, capture, room })
      if (native) {
        const passing = await native.takes(came, caller)
        passes = passing !== undefined
        if (passing) return { ...(await withFiles(services, caller, came, native.as)), native: passing }
        if (came.large && wording) came = { ...came, large: await came.large.inDialect({ ...as, wording }) }
      }
      const sent = words ? words.read(came, strict) : came
      const body = sent.large || !model ? sent : { ...sent, content: withModel(String(sent.content), model) }
      return !body.large && body.hasFileMark === false ? body : withFiles(services, caller, body, as)
    },
    capture,
    replay: visit.replay,
    strict,
    signal: request.signal,
  })
  const answer = words && !passes ? words.write(reply) : (framed?.(reply) ?? reply)
  return withAllowances(relayed(answer, visit, services), own.dialect, reply, services.clock)
}
