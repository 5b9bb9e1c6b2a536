/**
 * What every console route shares: JSON in and out, behind the session cookie. `consoleRoute` checks, in this order: same origin
 * for writes, session and role, query, body. A route's own file has only its own logic. Rows and rules are in the services below;
 * nothing here knows a table. `session.ts` is a good first example.
 */
import type { User } from '#accounts/caller'
import type { Method, Route, Visit } from '#http/request/route'
import { sameOrigin } from '#http/request/same-origin'
import { readSessionCookie } from '#http/request/session-cookie'
import type { Clock } from '#runtime/clock'
import { checker } from '#shared/check'
import { GatewayError } from '#shared/errors'
import type { Static, TSchema } from '#shared/typebox'
import { announcesBody, demandJson, readJson } from './json-body.ts'

/** Who may call a route: anyone, signed-in users, or administrators. */
export type Who = 'anyone' | 'session' | 'admin'

/** What every console route needs from the program. */
export interface ConsoleDeps {
  accounts: { userOfSession(token: string | undefined): User | undefined }
  publicUrl: URL
  clock: Clock
  /**
   * Resolves when what models have answered so far can be read: an answer does not wait for its usage row, so whoever reads rows and
   * balances does.
   */
  answered(): Promise<void>
}

/** Milliseconds that a reader waits at most: a slow database must not stop the console. */
const answeredMs = 1_000

/** The signed-in user, with the id of the request. */
export type Asker = User & { requestId: string }

/** One request to a console route, after all checks. */
export interface ConsoleVisit<Body = unknown, Visitor = Asker> {
  visit: Visit
  /** The signed-in user. Undefined only on routes open to anyone. */
  user: Visitor
  body: Body
  query: URLSearchParams
}

/** What a console route responds. */
export interface ConsoleReply {
  /** 200 when absent. */
  status?: number
  /** Sent as JSON; absent for 204. */
  body?: unknown
  /** Sent unchanged instead of `body`; `headers` must set its content type. */
  stream?: ReadableStream<Uint8Array>
  headers?: Record<string, string>
}

/** A console route: who may call it, what it accepts, and its handler. */
export interface ConsoleSpec<W extends Who, S extends TSchema> {
  method: Method
  path: string
  who: W
  /** Accepted query parameters; none when absent. */
  query?: readonly string[]
  /** Schema of the body. Without it no body is read. */
  body?: S
  handle(visit: ConsoleVisit<Static<S>, W extends 'anyone' ? undefined : Asker>): ConsoleReply | Promise<ConsoleReply>
}

/** A console route: the checks above, then `handle`, whose reply becomes the response. */
export function consoleRoute<const W extends Who, S extends TSchema>(deps: ConsoleDeps, spec: ConsoleSpec<W, S>): Route {
  const check = spec.body === undefined ? undefined : checker(spec.body)

  async function handle(visit: Visit): Promise<Response> {
    const { request } = visit
    if (spec.method !== 'GET') sameOrigin(request, deps.publicUrl)
    const admitted = admit(deps, spec.who, request)
    const user = admitted && { ...admitted, requestId: visit.requestId }
    if (check === undefined && spec.method !== 'GET' && announcesBody(request)) demandJson(request)
    demandKnown(visit.url.searchParams, spec.query ?? [])
    const body = check === undefined ? undefined : await readJson(request, check, deps.clock)
    if (user) await afterAnswers(deps)
    // The types of `user` and `body` follow from `who` and `body` of the spec, which the compiler cannot infer here.
    const seen = { visit, user, body, query: visit.url.searchParams } as Parameters<typeof spec.handle>[0]
    return respond(await spec.handle(seen))
  }

  return { method: spec.method, path: spec.path, envelope: 'chat', handle }
}

async function afterAnswers({ answered, clock }: ConsoleDeps): Promise<void> {
  const waited = new AbortController()
  const late = clock.sleep(answeredMs, waited.signal).catch(() => undefined)
  await Promise.race([answered(), late])
  waited.abort()
}

function admit(deps: ConsoleDeps, who: Who, request: Request): User | undefined {
  if (who === 'anyone') return undefined
  const user = deps.accounts.userOfSession(readSessionCookie(request, deps.publicUrl))
  if (user === undefined) throw new GatewayError('not_signed_in', 'Sign in first.')
  if (who === 'admin' && user.role !== 'admin') throw new GatewayError('not_permitted', 'Only administrators may do this.')
  return user
}

/** Refuses unknown query parameters: a misspelt filter would return everything. Throws `unknown_field`, naming plausible names only. */
function demandKnown(query: URLSearchParams, known: readonly string[]): void {
  const stray = [...query.keys()].find((name) => !known.includes(name))
  if (stray === undefined) return
  const named = /^[\w.-]{1,64}$/.test(stray) ? { param: stray } : {}
  throw new GatewayError('unknown_field', 'The query has a parameter that this endpoint does not know.', named)
}

function respond({ status = 200, body, stream, headers = {} }: ConsoleReply): Response {
  const all = { 'cache-control': 'no-store', ...headers }
  if (stream) return new Response(stream, { status, headers: all })
  if (body === undefined) return new Response(null, { status, headers: all })
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json; charset=utf-8', ...all } })
}
