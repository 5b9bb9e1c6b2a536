/**
 * The playground's door: chat with the login session instead of a key, in a group named by the body. It differs from /v1 in
 * who is admitted and in one check; routing, conversion, billing and retry are the same. Beside it, the same request as it
 * would be written in another dialect: nothing is sent and nothing is charged.
 */
import type { Caller } from '#accounts/caller'
import type { Head } from '#canonical/codec'
import { json, relayed } from '#http/request/respond'
import type { Route, Visit } from '#http/request/route'
import { sameOrigin } from '#http/request/same-origin'
import { readSessionCookie } from '#http/request/session-cookie'
import { conversationCodecs } from '#protocols/index'
import type { Clock } from '#runtime/clock'
import { type OtherDialect, otherDialects, type Preview } from '#shared/console/preview'
import { GatewayError } from '#shared/errors'
import { asksStrict, type RelayServices, readJsonText } from './relay-route.ts'

export interface PlaygroundServices {
  /** Throws `not_signed_in` or `group_not_allowed`. Without a group the user's own. */
  accounts: { admitSession(token: string | undefined, group?: string): Caller }
  relay: RelayServices['relay']
  publicUrl: URL
  clock: Clock
  heartbeatMs: number
  idleMs: number
}

/** Stricter than /v1: whatever a form or a simple cross-site request can send is not this. */
const plainJson = /^application\/json\s*(;|$)/i

/** Attachments and search are not part of the playground, so the server refuses what such controls would send. */
function refuseAttachments(head: Head): void {
  if (head.media.length > 0 || head.searchAsked) {
    throw new GatewayError('unsupported_in_playground', 'The playground takes text only: no images, audio, files or web search.')
  }
}

const codec = conversationCodecs.chat

/** What a chat request would be for a program that speaks `dialect` to this server; no channel is chosen, so no model's limits count. */
function rewritten(raw: string, dialect: OtherDialect): Preview {
  const { model, stream, group } = codec.readHead(raw)
  const asked = codec.readRequest(group === undefined ? raw : codec.editRequest(raw, { remove: ['group'] }))
  const { body, losses } = conversationCodecs[dialect].writeRequest(asked, { model, stream, capabilities: {} })
  return { body, losses: losses.map(({ field, what, reason }) => ({ field, what, reason })) }
}

export function playgroundRoutes(services: PlaygroundServices): Route[] {
  /** The body of a signed-in person's own page. Throws GatewayError. */
  async function readBody({ request }: Visit): Promise<{ raw: string; token: string | undefined }> {
    sameOrigin(request, services.publicUrl)
    const token = readSessionCookie(request, services.publicUrl)
    services.accounts.admitSession(token)
    if (!plainJson.test(request.headers.get('content-type') ?? ''))
      throw new GatewayError('unsupported_media_type', 'The body must be JSON: send Content-Type: application/json.')
    return { raw: await readJsonText(request, services), token }
  }

  async function preview(visit: Visit): Promise<Response> {
    const dialect = otherDialects.find((one) => one === visit.params.dialect)
    if (dialect === undefined) throw new GatewayError('not_found', 'There is no such dialect to show a request in.')
    const { raw } = await readBody(visit)
    return json(rewritten(raw, dialect))
  }

  async function chat(visit: Visit): Promise<Response> {
    const { request } = visit
    const { raw, token } = await readBody(visit)
    const group = codec.readHead(raw).group
    const reply = await services.relay({
      requestId: visit.requestId,
      caller: services.accounts.admitSession(token, group),
      operation: 'generate',
      dialect: 'chat',
      body: Promise.resolve({ content: group === undefined ? raw : codec.editRequest(raw, { remove: ['group'] }) }),
      check: refuseAttachments,
      strict: asksStrict(request),
      headers: new Headers(),
      signal: request.signal,
    })
    return relayed(reply, visit, services)
  }

  return [
    { method: 'POST', path: '/pg/chat/completions', envelope: 'chat', slow: true, handle: chat },
    { method: 'POST', path: '/pg/preview/:dialect', envelope: 'chat', handle: preview },
  ]
}
