/**
 * The playground's endpoints: chat with the login session instead of a key; the body names the group, and the team that pays. Only
 * admission and one check differ from /v1; routing, conversion, billing and retry are the same. The preview endpoint returns the same
 * request as it would be written in another dialect: nothing is sent or charged.
 */
import type { Caller } from '#accounts/caller'
import type { Head } from '#canonical/codec'
import { decodeUtf8, type JsonSender, type JsonServices, join, readJson, readJsonPieces } from '#http/request/read-body'
import { json, jsonBytes, relayed } from '#http/request/respond'
import type { Route, Visit } from '#http/request/route'
import { sameOrigin } from '#http/request/same-origin'
import { readSessionCookie } from '#http/request/session-cookie'
import { forbidsStoring } from '#http/request/store-field'
import { conversationCodecs } from '#protocols/index'
import type { BodyRooms } from '#relay/contract/body-rooms'
import type { LargeAsk, LargeBody } from '#relay/contract/large-body'
import { previewOf } from '#relay/conversation/preview'
import { otherDialects } from '#shared/console/inspection/preview'
import { GatewayError } from '#shared/errors'
import { asksStrict, type RelayServices, senderOf } from './relay-route.ts'

/** What the playground's endpoints need from the program. */
export interface PlaygroundServices extends JsonServices {
  /**
   * The caller of a session; `group` defaults to the user's or team's own, and `team` to none. Throws `not_signed_in`, `group_not_allowed`,
   * `team_not_allowed`.
   */
  accounts: { admitSession(token: string | undefined, group?: string, team?: string): Caller }
  relay: RelayServices['relay']
  rooms: BodyRooms
  captures: RelayServices['captures']
  house: RelayServices['house']
  publicUrl: URL
  heartbeatMs: number
}

/** Stricter than /v1: excludes every content type that a form or a simple cross-site request can send. */
const plainJson = /^application\/json\s*(;|$)/i

/** The playground has no attachments or web search, so the server refuses requests that use them. */
function refuseAttachments(head: Head): void {
  if (head.media.length > 0 || head.searchAsked) {
    throw new GatewayError('unsupported_in_playground', 'The playground takes text only: no images, audio, files or web search.')
  }
}

/** The name in a field of the body; null counts as absent. Throws `invalid_value` for anything else. */
function named(value: unknown, param: 'group' | 'team'): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string') return value
  throw new GatewayError('invalid_value', `${param}: Expected text or null.`, { param })
}

const codec = conversationCodecs.chat
/** Parley's own fields of the body: nothing after this reads them. */
const ownFields = ['group', 'team'] as const
const as: LargeAsk = { operation: 'generate', dialect: 'chat', hasGroup: true }

/** `/pg/chat/completions` and `/pg/preview/{dialect}`. */
export function playgroundRoutes(services: PlaygroundServices): Route[] {
  /** The session of a signed-in user on Parley's own page, who sends JSON. Throws GatewayError. */
  function admit({ request }: Visit): { token: string | undefined; sender: string } {
    sameOrigin(request, services.publicUrl)
    const token = readSessionCookie(request, services.publicUrl)
    const sender = senderOf(services.accounts.admitSession(token))
    if (!plainJson.test(request.headers.get('content-type') ?? ''))
      throw new GatewayError('unsupported_media_type', 'The body must be JSON: send Content-Type: application/json.')
    return { token, sender }
  }

  async function preview(visit: Visit): Promise<Response> {
    const dialect = otherDialects.find((one) => one === visit.params.dialect)
    if (dialect === undefined) throw new GatewayError('not_found', 'Requests cannot be shown in this dialect.')
    const { sender } = admit(visit)
    const room = services.rooms.open(sender)
    try {
      const { isLight, ...body } = await readJsonPieces(visit.request, services, room)
      if (isLight) return json(previewOf(decodeUtf8(join(body.pieces)), dialect))
      return jsonBytes(await services.large.preview(body, dialect, sender), visit, services.clock)
    } finally {
      room.release()
    }
  }

  async function chat(visit: Visit): Promise<Response> {
    const { token, sender } = admit(visit)
    const room = services.rooms.open(sender)
    try {
      return await answered(visit, token, { caller: sender, as, room })
    } finally {
      room.release()
    }
  }

  async function answered(visit: Visit, token: string | undefined, sender: JsonSender): Promise<Response> {
    const { request } = visit
    const { content, large } = await readJson(request, services, sender)
    const raw = String(content)
    const head = large ? large.head : codec.readHead(raw)
    const present = ownFields.filter((field) => head[field] !== undefined)
    const own = present.length === 0 || large ? raw : codec.editRequest(raw, { remove: present })
    const caller = admitted(token, head, large)
    const { house, captures } = services
    const keeps = !large && (house.keep || caller.group.keepBodies)
    visit.capture = keeps ? captures.begin(visit, caller) : undefined
    visit.capture?.askedWith(Buffer.from(raw))
    if (visit.capture?.heedsStore && forbidsStoring(raw)) visit.capture.forbid()
    const reply = await services.relay({
      requestId: visit.requestId,
      caller,
      capture: visit.capture,
      operation: 'generate',
      dialect: 'chat',
      // Already read for the group that it names.
      bytes: 0,
      body: async () => ({ content: own, ...(large && { large }) }),
      check: refuseAttachments,
      strict: asksStrict(request),
      headers: new Headers(),
      signal: request.signal,
    })
    return relayed(reply, visit, services)
  }

  function admitted(token: string | undefined, { group, team }: Pick<Head, 'group' | 'team'>, large: LargeBody | undefined): Caller {
    try {
      return services.accounts.admitSession(token, named(group, 'group'), named(team, 'team'))
    } catch (thrown) {
      large?.release()
      throw thrown
    }
  }

  return [
    { method: 'POST', path: '/pg/chat/completions', envelope: 'chat', slow: true, handle: chat },
    { method: 'POST', path: '/pg/preview/:dialect', envelope: 'chat', handle: preview },
  ]
}
