/**
 * A door as data. Every edge file exports a list of routes; `app.ts` hangs them on Elysia with `parse: 'none'` and builds
 * the 405 answers from the same list. Handlers throw GatewayError; the envelope is the route's own.
 */
import type { errorWriters } from '#protocols/index'
import type { Peer } from '#runtime/listen'
import type { IdleGuard } from '#runtime/outgoing-body'

export type Envelope = keyof typeof errorWriters

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface Visit {
  request: Request
  /** The parsed, checked target; its origin is only what the client claimed. */
  url: URL
  /** Path parameters, decoded once and checked (no `..`, control characters, U+FFFD; at most 256 characters). */
  params: Record<string, string>
  /** Sent back as `x-request-id` and `request-id`. */
  requestId: string
  /** Address of the client: the socket's, or X-Forwarded-For behind a trusted proxy. */
  clientAddress: string
  /** How long the connection may lie still; absent where no server listens. */
  pace?: IdleGuard
  /** Makes it a WebSocket; absent where no server listens. */
  upgrade?: Peer['upgrade']
}

export interface Route {
  method: Method
  /** Elysia pattern; a `*` at the end takes the rest of the path, slashes included, as `params['*']`. */
  path: string
  /** Whose error envelope; a function where one address serves several protocols. */
  envelope: Envelope | ((visit: Pick<Visit, 'request' | 'url'>) => Envelope)
  /** Streams and slow calls: the server's idle timer is off until there is an answer, our own timers hold. */
  slow?: boolean
  handle(visit: Visit): Response | Promise<Response>
}
