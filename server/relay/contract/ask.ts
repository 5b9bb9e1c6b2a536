/** What a door hands to the staircase, what it gets back, and the rooms the staircase calls. */
import type { Caller } from '#accounts/caller'
import type { Books } from '#billing/ledger/books'
import type { PriceBook } from '#billing/pricing/price'
import type { Limiter } from '#billing/ratelimit/limits'
import type { Allowances } from '#canonical/allowance'
import type { Head, StateRef } from '#canonical/codec'
import type { Loss } from '#canonical/loss'
import type { Incoming, Variant } from '#canonical/operation/operation'
import type { ReasoningState } from '#reasoning-state/reasoning-state'
import type { Affinity } from '#routing/affinity'
import type { Channels } from '#routing/channel'
import type { FallbackBook } from '#routing/fallbacks'
import type { Health } from '#routing/health'
import type { RetryPolicy } from '#routing/retry'
import type { Clock, Random } from '#runtime/clock'
import type { Log } from '#runtime/log'
import type { Source } from '#runtime/outgoing-body'
import type { Operation, Wire } from '#shared/ids'
import type { FetchMedia } from '#upstream/media'
import type { Signer } from '#upstream/sign'
import type { Upstream } from '#upstream/upstream'

/** The body of a request. */
export interface Body {
  /** A conversation is always text. */
  content: Incoming
  /** References to upstream state that Parley recorded for this caller; absent = none. */
  known?: readonly StateRef[]
  /** Called once when nothing will read the body again. */
  release?(): void
}

export interface Ask {
  requestId: string
  caller: Caller
  operation: Operation
  /** What the request is written in: a dialect for conversations, a style for every other operation. */
  dialect: Wire
  /** Which of the addresses of the operation was asked. */
  variant?: Variant
  /** The path parameter that names the model, for dialects that have one. */
  path?: string
  /** The body as it arrives, read once. Rejects with GatewayError (too large, not UTF-8). */
  body: Promise<Body>
  /** Further refusals of this door, after the head is read. Throws GatewayError. */
  check?(head: Head): void
  /** The client's headers; only those that its dialect passes on, and those that name a session, are ever read. */
  headers: Pick<Headers, 'get'>
  /** Told the complete answer before its last bytes leave: the body, or the last frames of a stream. */
  answered?(text: string, stream: boolean): Promise<void>
  /** Top-level fields that are Parley's own business and go to no upstream. */
  ownFields?: readonly string[]
  /** A conversion that would lose meaning is refused. */
  strict: boolean
  /** Aborted when the client leaves. */
  signal: AbortSignal
}

export interface Reply {
  status: number
  contentType: string
  body: string | Source
  /** What a conversion could not carry over, as far as it is known when the head is sent. */
  losses: readonly Loss[]
  /** What the caller's own limits leave. */
  left: Allowances
  /** Sent while a streamed body is silent. */
  heartbeat?: Uint8Array
}

export interface RelayParts {
  channels: Channels
  /** Models that stand in for others. */
  fallbacks: FallbackBook
  /** Keeps together what belongs together. */
  affinity: Affinity
  prices: PriceBook
  books: Books
  limiter: Limiter
  health: Health
  /** The network. */
  upstream: Upstream
  /** Fetches what callers name by address, for upstreams that take only bytes. */
  fetchMedia: FetchMedia
  /** Signs what goes out, where a header is not enough. */
  signer: Signer
  /** The scripted model behind the same interface. */
  demo: Upstream
  /** Opaque state that must survive a conversion. */
  reasoningState: ReasoningState
  clock: Clock
  random: Random
  log: Log
  retry: RetryPolicy
  version: string
  /** Milliseconds a streaming client waits before the head is committed, and between heartbeats. */
  heartbeatMs: number
}
