/**
 * What every console route shares: JSON in and out, behind the session cookie or a management key. `consoleRoute` checks, in this
 * order: management key and its scope, or same origin for writes and session; role, query, body. A route's own file has only its own logic.
 * Rows and rules are in the services below; nothing here knows a table. `session.ts` is a good first example.
 */
import type { User } from '#accounts/caller'
import type { Managing } from '#accounts/management-keys'
import type { Method, Route, Visit } from '#http/request/route'
import { sameOrigin } from '#http/request/same-origin'
import { readSessionCookie } from '#http/request/session-cookie'
import type { Clock } from '#runtime/clock'
import { wholeBody } from '#runtime/outgoing-body'
import { checker } from '#shared/check'
import { type Scope, scopes } from '#shared/console/management-key'
import { GatewayError } from '#shared/errors'
import type { Static, TSchema } from '#shared/typebox'
import { announcesBody, demandJson, readJson } from './json-body.ts'

/** Who may call a route: anyone, signed-in users, or administrators. */
export type Who = 'anyone' | 'session' | 'admin'

/** What every console route needs from the program. */
export interface ConsoleDeps {
  accounts: {
    userOfSession(token: string | undefined): User | undefined
    userEnrolling(token: string | undefined): User | undefined
    isFresh(token: string | undefined): boolean
    managementKeys: { admit(secret: string, address: string): Managing }
  }
  publicUrl: URL
  clock: Clock
  /**
   * Resolves when requests answered so far can be read: an answer does not wait for its usage row, so readers of rows and
   * balances do.
   */
  answered(): Promise<void>
}

/** Most milliseconds that a reader waits: a slow database must not stop the console. */
const answeredMs = 1_000

/** The signed-in user, with the id of the request and the management key that was used, if any. */
export type Asker = User & { requestId: string; through?: Managing['key'] }

/** One request to a console route, after all checks. */
export interface ConsoleVisit<Body = unknown, Visitor = Asker> {
  visit: Visit
  /** The signed-in user. Undefined only on routes open to anyone. */
  user: Visitor
  body: Body
  query: URLSearchParams
}

/** The response of a console route. */
export interface ConsoleReply {
  /** 200 when absent. */
  status?: number
  /** Sent as JSON; absent for 204. */
  body?: unknown
  /** Sent unchanged instead of `body`; `headers` must set its content type. */
  stream?: ReadableStream<Uint8Array>
  headers?: Record<string, string>
  /** Values of `Set-Cookie`. */
  cookies?: readonly string[]
}

/** A console route: who may call it, what it accepts, and its handler. */
export interface ConsoleSpec<W extends Who, S extends TSchema, O extends boolean = false> {
  method: Method
  path: string
  who: W
  /**
   * The scope that management keys need; `read` also suffices for every GET, unless the scope is `bodies` or `replay`. `any`: any
   * management key. Absent: none.
   */
  scope?: W extends 'anyone' ? never : Scope | 'any'
  /** A POST that only reads: `read` also suffices. */
  asks?: true
  /** Open to a session that waits until its user has the required second factor. */
  enrols?: true
  /**
   * Requires a recent proof of identity of a session: always, or if this returns true for the body. docs/people.md has the rule.
   * Does not apply to management keys.
   */
  fresh?: true | ((body: Static<S>) => boolean)
  /** Accepted query parameters; none when absent. */
  query?: readonly string[]
  /** Schema of the body. Without it no body is read. */
  body?: S
  /** The body may be left out; `handle` then sees undefined. */
  optional?: O
  handle(
    visit: ConsoleVisit<O extends true ? Static<S> | undefined : Static<S>, W extends 'anyone' ? undefined : Asker>,
  ): ConsoleReply | Promise<ConsoleReply>
}

/** A console route: the checks above, then `handle`, whose reply becomes the response. */
export function consoleRoute<const W extends Who, S extends TSchema, const O extends boolean = false>(
  deps: ConsoleDeps,
  spec: ConsoleSpec<W, S, O>,
): Route {
  const check = spec.body === undefined ? undefined : checker(spec.body)
  const openedBy = scopesOf(spec)

  async function handle(visit: Visit): Promise<Response> {
    const { request } = visit
    const user = admit(deps, spec, openedBy, visit)
    if (check === undefined && spec.method !== 'GET' && announcesBody(request)) demandJson(request)
    demandKnown(visit.url.searchParams, spec.query ?? [])
    const body = check === undefined || (spec.optional && !announcesBody(request)) ? undefined : await readJson(request, check, deps.clock)
    if (user && user.through === undefined) demandFresh(deps, request, spec.fresh === true || spec.fresh?.(body as Static<S>) === true)
    if (user) await afterAnswers(deps)
    // The types of `user` and `body` follow from `who` and `body` of the spec, which the compiler cannot infer here.
    const seen = { visit, user, body, query: visit.url.searchParams } as Parameters<typeof spec.handle>[0]
    return respond(await spec.handle(seen))
  }

  return { method: spec.method, path: spec.path, envelope: 'chat', ...(spec.who !== 'anyone' && { openedBy }), handle }
}

/** Resolves once the balance includes the requests that were answered so far, or after a second. */
export async function afterAnswers({ answered, clock }: Pick<ConsoleDeps, 'answered' | 'clock'>): Promise<void> {
  const waited = new AbortController()
  const late = clock.sleep(answeredMs, waited.signal).catch(() => undefined)
  await Promise.race([answered(), late])
  waited.abort()
}

type Guarded = Pick<ConsoleSpec<Who, TSchema>, 'who' | 'method' | 'scope' | 'asks' | 'enrols'>

function admit(
  deps: ConsoleDeps,
  spec: Guarded,
  openedBy: readonly Scope[],
  { request, requestId, clientAddress }: Visit,
): Asker | undefined {
  const secret = spec.who === 'anyone' ? undefined : managementKeyOf(request)
  // A page of another site cannot send this header without permission, so a management key needs no origin check.
  if (secret === undefined && spec.method !== 'GET') sameOrigin(request, deps.publicUrl)
  if (spec.who === 'anyone') return undefined
  const asker = secret === undefined ? signedIn(deps, request, spec.enrols) : managed(deps, openedBy, secret, clientAddress)
  if (spec.who === 'admin' && asker.role !== 'admin') throw new GatewayError('not_permitted', 'Only administrators may do this.')
  return { ...asker, requestId }
}

function signedIn({ accounts, publicUrl }: ConsoleDeps, request: Request, enrols = false): User {
  const token = readSessionCookie(request, publicUrl)
  const user = accounts.userOfSession(token)
  if (user) return user
  const enrolling = accounts.userEnrolling(token)
  if (enrolling && enrols) return enrolling
  if (enrolling) throw new GatewayError('second_factor_required', 'This installation requires a second factor: add one first.')
  throw new GatewayError('not_signed_in', 'Sign in first.')
}

/** Throws `reauthentication_required` where a recent proof is required (`asked`) and the last one is older. */
function demandFresh({ accounts, publicUrl }: ConsoleDeps, request: Request, asked: boolean): void {
  if (asked && !accounts.isFresh(readSessionCookie(request, publicUrl))) throw proofNeeded()
}

/** A `fresh` that requires a proof if the body has one of these fields. */
export const names =
  <Field extends string>(...fields: readonly Field[]) =>
  (body: { [F in Field]?: unknown }): boolean =>
    fields.some((field) => body[field] !== undefined)

/** The refusal of calls that need a recent proof of identity. */
export const proofNeeded = () =>
  new GatewayError('reauthentication_required', 'Confirm your identity again with POST /api/session/proof, then repeat this.')

/** The management key of the request, which takes precedence over any cookie. API keys for models have no access here. */
function managementKeyOf(request: Request): string | undefined {
  const [, secret] = /^bearer +(pk-.*)$/i.exec(request.headers.get('authorization') ?? '') ?? []
  return secret
}

function managed({ accounts }: ConsoleDeps, openedBy: readonly Scope[], secret: string, address: string): Omit<Asker, 'requestId'> {
  const { user, key } = accounts.managementKeys.admit(secret, address)
  if (!key.scopes.some((scope) => openedBy.includes(scope))) throw scopeMissing(openedBy)
  return { ...user, through: key }
}

/** The scopes any one of which gives access to a route. */
function scopesOf({ scope, method, asks }: Guarded): readonly Scope[] {
  if (scope === undefined) return []
  if (scope === 'any') return scopes
  return (method === 'GET' || asks === true) && scope !== 'bodies' && scope !== 'replay' && scope !== 'read' ? [scope, 'read'] : [scope]
}

const scopeMissing = (openedBy: readonly Scope[]) =>
  new GatewayError(
    'not_permitted',
    openedBy.length === 0
      ? 'Management keys cannot do this: sign in.'
      : `This management key lacks the scope for this: ${openedBy.join(' or ')}.`,
  )

/** Refuses unknown query parameters: a misspelt filter would return everything. Throws `unknown_field`, naming plausible names only. */
function demandKnown(query: URLSearchParams, known: readonly string[]): void {
  const stray = [...query.keys()].find((name) => !known.includes(name))
  if (stray === undefined) return
  const named = /^[\w.-]{1,64}$/.test(stray) ? { param: stray } : {}
  throw new GatewayError('unknown_field', 'The query has a parameter that this endpoint does not know.', named)
}

function respond({ status = 200, body, stream, headers = {}, cookies = [] }: ConsoleReply): Response {
  const all = new Headers({ 'cache-control': 'no-store', ...headers })
  for (const cookie of cookies) all.append('set-cookie', cookie)
  if (stream) return new Response(stream, { status, headers: all })
  if (body === undefined) return new Response(null, { status, headers: all })
  if (!all.has('content-type')) all.set('content-type', 'application/json; charset=utf-8')
  return new Response(wholeBody(JSON.stringify(body)), { status, headers: all })
}
