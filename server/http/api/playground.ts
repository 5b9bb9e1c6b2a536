/**
 * The playground's endpoints: chat with the login session instead of a key, in a group named by the body. Only admission and one
 * check differ from /v1; routing, conversion, billing and retry are the same. The preview endpoint returns the same request as it
 * would be written in another dialect: nothing is sent or charged.
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

/** What the playground's endpoints need from the program. */
export interface PlaygroundServices {
  /** The caller of a session; `group` defaults to the user's own. Throws `not_signed_in` or `group_not_allowed`. */
  accounts: { admitSession(token: string | undefined, group?: string): Caller }
  relay: RelayServices['relay']
  publicUrl: URL
  clock: Clock
  heartbeatMs: number
  idleMs: number
}

/** Stricter than /v1: excludes every content type that a form or a simple cross-site request can send. */
const plainJson = /^application\/json\s*(;|$)/i

/** The playground has no attachments or web search, so the server refuses requests that use them. */
function refuseAttachments(head: Head): void {
  if (head.media.length > 0 || head.searchAsked) {
    throw new GatewayError('unsupported_in_playground', 'The playground takes text only: no images, audio, files or web search.')
  }
}

const codec = conversationCodecs.chat

/** A chat request as a client of `dialect` would send it to this server. No channel is chosen, so no model limits apply. */
function rewritten(raw: string, dialect: OtherDialect): Preview {
  const { model, stream, group } = codec.readHead(raw)
  const asked = codec.readRequest(group === undefined ? raw : codec.editRequest(raw, { remove: ['group'] }))
  const { body, losses, memo } = conversationCodecs[dialect].writeRequest(asked, { model, stream, capabilities: {} })
  // Parley cuts the answer of an upstream, not that of a client which asks in this dialect.
  if (memo.stopHere) throw new GatewayError('unsupported_value', 'This dialect has no place for these stop sequences.', { param: 'stop' })
  return { body, losses: losses.map(({ field, what, reason }) => ({ field, what, reason })) }
}

/** `/pg/chat/completions` and `/pg/preview/{dialect}`. */
export function playgroundRoutes(services: PlaygroundServices): Route[] {
  /** The body of a request from a signed-in user on Parley's own page. Throws GatewayError. */
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
    if (dialect === undefined) throw new GatewayError('not_found', 'Requests cannot be shown in this dialect.')
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
      // It has been read for the group that it names.
      bytes: 0,
      body: async () => ({ content: group === undefined ? raw : codec.editRequest(raw, { remove: ['group'] }) }),
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
