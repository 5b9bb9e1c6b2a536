/**
 * A route as data. Every file with endpoints exports a list of routes; `app.ts` registers them with Elysia (`parse: 'none'`) and
 * builds the 405 responses from the same list. Handlers throw GatewayError, which is written in the route's envelope.
 */
import type { Capture, Owner } from '#bodies/capture'
import type { errorWriters } from '#protocols/index'
import type { Ask, Replayed } from '#relay/contract/ask'
import type { LargeAsk } from '#relay/contract/large-body'
import type { Peer } from '#runtime/listen'
import type { IdleGuard } from '#runtime/outgoing-body'

/** An error format, named after its dialect. */
export type Envelope = keyof typeof errorWriters

/** HTTP methods of routes. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Facts from an address of another vendor's clients. */
export interface Addressed {
  /** The model, which wins over the body's. */
  model?: LargeAsk['model']
  /** A further header that carries the key. */
  keyHeader?: 'api-key'
}

/** A kept request that Parley replays, without a credential. */
export interface ReplayVisit extends Replayed {
  /** Who asks and pays. */
  caller: Ask['caller']
  /** The owner of the original: the copy is deleted with it. */
  owner: Owner
}

/** One request, as a handler gets it. */
export interface Visit {
  request: Request
  /** The parsed and checked request target. Its origin is the client's claim and must not be trusted. */
  url: URL
  /** Path parameters, decoded once and checked (no `..`, control characters, U+FFFD; at most 256 characters). */
  params: Record<string, string>
  /** Sent back as `x-request-id` and `request-id`. */
  requestId: string
  /** IP address of the client: the socket's, or the one from X-Forwarded-For behind a trusted proxy. */
  clientAddress: string
  /** Records the request, if it may be stored; set by the endpoint once its caller is known. */
  capture?: Capture | undefined
  /** Set if it arrived at an address of another vendor's clients. */
  addressed?: Addressed | undefined
  /** Set for a replay; its caller counts instead of any credential. */
  replay?: ReplayVisit | undefined
  /** Suspends and restores the connection's idle limit; absent in tests without a listening server. */
  idleGuard?: IdleGuard
  /** Upgrades the connection to a WebSocket; absent in tests without a listening server. */
  upgrade?: Peer['upgrade']
}

/** One endpoint. */
export interface Route {
  method: Method
  /** Elysia pattern; a trailing `*` matches the rest of the path, slashes included, as `params['*']`. */
  path: string
  /** Other spellings of the path that clients use by mistake. */
  also?: readonly string[]
  /** The envelope of errors; a function where one address serves several protocols. */
  envelope: Envelope | ((visit: Pick<Visit, 'request' | 'url'>) => Envelope)
  /** Whether this method serves this address; absent: always. `Allow` omits the method where it does not. */
  serves?(url: Pick<URL, 'pathname'>): boolean
  /** For streams and slow calls: the server's idle timer is off until there is a response; Parley's own limits apply. */
  slow?: boolean
  /**
   * Pages of other sites may call it from a browser, and read its answer if this returns true. Preflights carry no credential and are
   * always answered; no cookie is ever read at such an address.
   */
  forOtherSites?(request: Request): boolean
  /** The scopes of management keys any one of which gives access. */
  openedBy?: readonly string[]
  handle(visit: Visit): Response | Promise<Response>
}

/** The `Allow` header of these routes at this address: the methods that serve it. */
export function allowed(routes: readonly Route[], url: Pick<URL, 'pathname'> | undefined): string {
  const serving = routes.filter((route) => url === undefined || route.serves?.(url) !== false)
  return [...new Set(serving.map(({ method }) => method))].sort().join(', ')
}
