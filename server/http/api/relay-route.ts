/** Shared by all relay endpoints: check the key, read JSON, call the relay, write the reply. */

import type { Caller } from '#accounts/caller'
import { readCredential } from '#http/request/credentials'
import { decodeUtf8, readBody } from '#http/request/read-body'
import { jsonText, relayed, withAllowances } from '#http/request/respond'
import type { Visit } from '#http/request/route'
import type { CountDialect } from '#relay/admin/count'
import type { Ask, Body, Reply } from '#relay/contract/ask'
import type { Relay } from '#relay/contract/relay'
import type { Clock } from '#runtime/clock'
import type { Spool } from '#runtime/spool'
import { GatewayError } from '#shared/errors'

const mebibyte = 1024 * 1024
/** Largest JSON body, in bytes, and what one counts as that does not say how long it is. */
const jsonBodyBytes = 32 * mebibyte
export const undeclaredBytes = 8 * mebibyte

/** What the relay's endpoints need from the program. */
export interface RelayServices {
  accounts: { admitKey(secret: string, address: string): Caller }
  relay: (ask: Ask) => ReturnType<Relay>
  clock: Clock
  heartbeatMs: number
  /** Milliseconds without any data before a request body is refused. */
  idleMs: number
  /** Holds uploaded files until the request ends. */
  spool: Spool
  count: (ask: Ask & { dialect: CountDialect }) => Promise<string>
}

/** What reading a JSON body needs. */
export type BodyServices = Pick<RelayServices, 'clock' | 'idleMs'>

const jsonType = /^(application\/json|[a-z0-9.+-]+\/[a-z0-9.+-]+\+json)\s*(;|$)/i

/** A JSON body as text. Throws 415 for a content type other than JSON (a missing one counts as JSON), 413, 400. */
export async function readJsonText(request: Request, { clock, idleMs }: BodyServices): Promise<string> {
  const type = request.headers.get('content-type')?.trim() ?? ''
  if (type !== '' && !jsonType.test(type)) {
    throw new GatewayError('unsupported_media_type', 'The body must be JSON: send Content-Type: application/json.')
  }
  return decodeUtf8(await readBody(request, jsonBodyBytes, clock, idleMs))
}

/** A JSON body for the relay. Rejects as `readJsonText` does, and with what `before` throws. */
export async function readJson(request: Request, services: BodyServices, before?: () => void): Promise<Body> {
  before?.()
  return { content: await readJsonText(request, services) }
}

/** How many bytes the body has as declared; `usual` where it is not. */
export const declaredBytes = (request: Request, usual: number): number => Number(request.headers.get('content-length') ?? usual)

/** Whether the request itself asks for strict conversion. */
export const asksStrict = (request: Request): boolean => request.headers.get('x-parley-strict')?.toLowerCase() === 'true'

/** The caller whose API key the request has. Throws GatewayError. */
export const admit = (services: Pick<RelayServices, 'accounts'>, visit: Visit): Caller =>
  services.accounts.admitKey(readCredential(visit.request.headers, visit.url.searchParams), visit.clientAddress)

/** Serves a token count for a request. Throws GatewayError. */
export async function count(
  services: RelayServices,
  visit: Visit,
  own: { dialect: CountDialect; path?: string; before?(): void },
): Promise<Response> {
  const { request, requestId } = visit
  const { before, ...asked } = own
  const caller = admit(services, visit)
  before?.()
  const answer = await services.count({
    ...asked,
    requestId,
    caller,
    operation: 'count-tokens',
    bytes: declaredBytes(request, undeclaredBytes),
    body: () => readJson(request, services),
    strict: false,
    headers: request.headers,
    signal: request.signal,
  })
  return jsonText(answer)
}

/** What distinguishes one dialect's endpoint. */
export interface OwnWay extends Pick<Ask, 'dialect'>, Partial<Pick<Ask, 'path' | 'check' | 'operation'>> {
  /** Checks the request before the body is read. Throws GatewayError. */
  before?(): void
  /** Changes the reply's framing. */
  framed?(reply: Reply): Reply
}

/** Serves one generation request of this dialect. Throws GatewayError. */
export async function generate(services: RelayServices, visit: Visit, { before, framed, ...own }: OwnWay): Promise<Response> {
  const { request, requestId } = visit
  const caller = admit(services, visit)
  const reply = await services.relay({
    operation: 'generate',
    ...own,
    requestId,
    caller,
    bytes: declaredBytes(request, undeclaredBytes),
    async body() {
      before?.()
      return { content: await readJsonText(request, services) }
    },
    strict: caller.strict || asksStrict(request),
    headers: request.headers,
    signal: request.signal,
  })
  return withAllowances(relayed(framed?.(reply) ?? reply, visit, services), own.dialect, reply, services.clock)
}
