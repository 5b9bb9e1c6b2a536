/**
 * The only folder that uses Elysia. Routes come as data from the files beside this one and are registered here. Every response
 * gets its request id, every error its envelope, and a wrong method a 405. Elysia parses, validates and normalises nothing:
 * handlers read the raw bytes.
 */
import { Elysia } from 'elysia'
import { unservedEndpoint } from '#http/api/unserved-endpoints'
import { isPreflight, preflight, readable } from '#http/request/other-sites'
import { captured, errorResponse, sameErrorResponse, withGuards, withRequestId } from '#http/request/respond'
import { allowed, type Envelope, type Route, type Visit } from '#http/request/route'
import { clientAddress, createTargetCheck, type HostPolicy, pathParameter } from '#http/request/target'
import { type Clock, newRequestId, type Random } from '#runtime/clock'
import type { LagMeter } from '#runtime/event-loop-lag'
import type { Peer } from '#runtime/listen'
import type { Log } from '#runtime/log'
import type { IdleGuard } from '#runtime/outgoing-body'
import { asGatewayError, GatewayError } from '#shared/errors'
import { refusedCallers } from './refused-callers.ts'

/** Checked before every request that reaches a model. */
export interface Load {
  /** False: the process shuts down. */
  work: { readonly taken: boolean }
  /** Requests and sessions that are not settled yet. */
  open: { readonly count: number }
  /** Consulted for each request that arrives while many are open. */
  lagMeter: Pick<LagMeter, 'isTooMuch'>
  maxOpen: number
}

/** The error for a process that shuts down. */
export const shuttingDown = () => new GatewayError('overloaded', 'Parley is shutting down. Try again shortly.', { retryAfter: 5 })
const tooMuch = new GatewayError('overloaded', 'Parley is overloaded. Nothing was charged. Try again shortly.', { retryAfter: 2 })

const refusal = sameErrorResponse(tooMuch)

/** This many open requests are never an overload, regardless of delays. */
const few = 64

/** Undefined while new work is taken; otherwise the `overloaded` error to refuse it with. */
function overloadOf({ work, open, lagMeter, maxOpen }: Load, line: Peer['line']): GatewayError | undefined {
  if (!work.taken) return shuttingDown()
  const count = open.count + (line?.waiting ?? 0)
  return count >= maxOpen || (count > few && lagMeter.isTooMuch(line?.waitMs())) ? tooMuch : undefined
}

/** What the HTTP application is built from. */
export interface AppParts {
  routes: readonly Route[]
  hosts: HostPolicy
  isTrustedProxy(address: string): boolean
  clock: Clock
  random: Random
  log: Log
  /** Serves addresses without a route; undefined means 404. */
  fallback(request: Request, url: URL): Promise<Response | undefined>
  /** Decides whether requests that reach a model are taken. */
  load: Load
}

/** A request whose target was checked, as its handler gets it. Rarely needed properties are computed on demand. */
class Arrival implements Visit {
  readonly request: Request
  readonly url: URL
  readonly requestId: string
  readonly idleGuard: IdleGuard
  readonly line: Peer['line']
  params: Visit['params'] = noParameters
  capture: Visit['capture'] = undefined
  addressed: Visit['addressed'] = undefined
  readonly #peer: Peer
  readonly #isTrustedProxy: AppParts['isTrustedProxy']

  constructor(request: Request, url: URL, requestId: string, peer: Peer, isTrustedProxy: AppParts['isTrustedProxy']) {
    this.request = request
    this.url = url
    this.requestId = requestId
    this.idleGuard = peer
    this.line = peer.line
    this.#peer = peer
    this.#isTrustedProxy = isTrustedProxy
  }

  upgrade(...asked: Parameters<Peer['upgrade']>): boolean {
    return this.#peer.upgrade(...asked)
  }

  get clientAddress(): string {
    return clientAddress(this.#peer.address, this.request.headers.get('x-forwarded-for'), this.#isTrustedProxy)
  }
}

const noParameters: Visit['params'] = Object.freeze({})

/** Answers one request; `peer` is its connection. */
export type App = (request: Request, peer: Peer) => Promise<Response>

/** Error envelopes by path; the first match wins. */
const envelopeOfPath: readonly (readonly [path: RegExp, Envelope])[] = [
  [/^\/v1\/messages/, 'messages'],
  [/^\/ollama\//, 'ollama'],
  [/^\/model\//, 'converse'],
  [/^\/v1beta\/openai\//, 'chat'],
  [/^\/(?:upload|v1beta|v1alpha|\/?ws)\//, 'gemini'],
  // Gemini's actions are served under /v1 too.
  [
    /^\/v1\/models\/.*:(?:generateContent|streamGenerateContent|countTokens|embedContent|batchEmbedContents|predict|predictLongRunning)$/,
    'gemini',
  ],
]

const notFound = () => new GatewayError('not_found', 'There is nothing at this address.')

const envelopeOf = ({ envelope }: Route, visit: Pick<Visit, 'request' | 'url'>) =>
  typeof envelope === 'function' ? envelope(visit) : envelope

/** The envelope for an address that no route serves or that is malformed. */
function envelopeAt(address: string): Envelope {
  const path = /^(?:https?:\/\/[^/]*)?(\/[^?#]*)/.exec(address)?.[1] ?? ''
  return envelopeOfPath.find(([pattern]) => pattern.test(path))?.[1] ?? 'chat'
}

const noSuchMethod = 'This address does not take this method.'

/** Routes by path pattern. */
function routesByPath(routes: readonly Route[]): Map<string, Route[]> {
  const known = new Map<string, Route[]>()
  for (const route of routes) {
    for (const path of [route.path, ...(route.also ?? [])]) known.set(path, [...(known.get(path) ?? []), route])
  }
  return known
}

function parameters(params: Record<string, string>): Record<string, string> {
  // Elysia has decoded `:name`, but not `*`.
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, name === '*' ? pathParameter(value) : pathParameter(encodeURIComponent(value))]),
  )
}

/** The HTTP handler for these routes. Never rejects: every failure becomes a response in the caller's error envelope. */
export function createApp(parts: AppParts): App {
  const arrivals = new WeakMap<Request, Arrival>()
  const targetOf = createTargetCheck(parts.hosts)
  const elysia = new Elysia({ aot: true, normalize: false, handler: { standardHostname: false } })

  const refused = refusedCallers(parts.log, parts.clock)

  function failed(thrown: unknown, envelope: Envelope, requestId: string, address?: string): Response {
    const error = asGatewayError(thrown)
    const line = { requestId, code: error.code, status: error.status }
    if (error.code === 'internal_error') parts.log.error({ ...line, err: error.cause }, 'request failed with an internal error')
    else refused({ ...line, address })
    return errorResponse(error, envelope, requestId)
  }

  /** Refuses overload at once and cheaply. */
  function visit(route: Route, request: Request, params: Record<string, string> | undefined): Response | Promise<Response> {
    const arrival = arrivals.get(request)
    if (!arrival) throw new Error('a request that has not passed the target check')
    const overload = route.slow ? overloadOf(parts.load, arrival.line) : undefined
    if (!overload) return admitted(route, arrival, params)
    arrival.line?.refused()
    const { requestId } = arrival
    const envelope = envelopeOf(route, arrival)
    if (overload !== tooMuch) return failed(overload, envelope, requestId)
    refused({ requestId, code: tooMuch.code, status: tooMuch.status })
    return refusal(envelope, requestId)
  }

  async function admitted(route: Route, arrival: Arrival, params: Record<string, string> | undefined): Promise<Response> {
    try {
      if (route.slow) {
        arrival.idleGuard.suspendIdleLimit()
        if (arrival.line) await arrival.line.turn()
      }
      if (params) arrival.params = parameters(params)
      return await route.handle(arrival)
    } catch (thrown) {
      const response = failed(thrown, envelopeOf(route, arrival), arrival.requestId, arrival.clientAddress)
      return arrival.capture ? await captured(arrival.capture, response) : response
    } finally {
      if (route.slow) arrival.idleGuard.limitIdle()
    }
  }

  async function answerToOthers(route: Route, request: Request, params: Record<string, string> | undefined): Promise<Response> {
    const response = await visit(route, request, params)
    return route.forOtherSites?.(request) ? readable(response) : response
  }

  for (const route of parts.routes) {
    const answer = route.forOtherSites ? answerToOthers : visit
    for (const path of [route.path, ...(route.also ?? [])]) {
      elysia.route(route.method, path, ({ request, params }) => answer(route, request, params as Record<string, string> | undefined), {
        parse: 'none',
      })
    }
  }
  const forOtherSites = new Set(parts.routes.flatMap((route) => (route.forOtherSites ? [route.path, ...(route.also ?? [])] : [])))

  function notAllowed(request: Request, routes: readonly Route[]): Response {
    const arrival = arrivals.get(request)
    const allow = allowed(routes, arrival?.url)
    if (isPreflight(request) && forOtherSites.has(arrival?.url.pathname ?? '')) return preflight(allow)
    const endpoint = arrival && unservedEndpoint(request, arrival.url)
    const [text, envelope] = endpoint?.isMethod ? [endpoint.error.message, endpoint.envelope] : [noSuchMethod, envelopeAt(request.url)]
    const response = failed(new GatewayError('method_not_allowed', text), envelope, arrival?.requestId ?? '')
    response.headers.set('allow', allow)
    return response
  }

  for (const [path, routes] of routesByPath(parts.routes)) {
    elysia.all(path, ({ request }) => notAllowed(request, routes), { parse: 'none' })
  }
  elysia.all(
    '/*',
    async ({ request }) => {
      const arrival = arrivals.get(request)
      const page = arrival && (await parts.fallback(request, arrival.url))
      if (page) return page
      const endpoint = arrival && unservedEndpoint(request, arrival.url)
      return failed(endpoint?.error ?? notFound(), endpoint?.envelope ?? envelopeAt(request.url), arrival?.requestId ?? '')
    },
    { parse: 'none' },
  )
  elysia.onError(({ error }) => failed(error, 'chat', ''))

  const isSecure = parts.hosts.publicUrl.protocol === 'https:'
  const finished = (response: Response, requestId: string) => withGuards(withRequestId(response, requestId), isSecure)

  return async (request, peer) => {
    const requestId = newRequestId(parts)
    try {
      arrivals.set(request, new Arrival(request, targetOf(request), requestId, peer, parts.isTrustedProxy))
      return finished(await elysia.fetch(request), requestId)
    } catch (thrown) {
      return finished(failed(thrown, envelopeAt(request.url), requestId), requestId)
    }
  }
}
