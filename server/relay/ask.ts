/** What a door hands to the staircase, what it gets back, and the rooms the staircase calls. */
import type { Caller } from '#accounts/caller'
import type { Head } from '#canonical/codec'
import type { Loss } from '#canonical/loss'
import type { Books } from '#metering/books'
import type { PriceBook } from '#metering/price'
import type { Channels } from '#routing/channel'
import type { RetryPolicy } from '#routing/retry'
import type { Source } from '#runtime/body'
import type { Clock, Dice } from '#runtime/clock'
import type { Log } from '#runtime/log'
import type { Dialect, Operation } from '#shared/ids'
import type { Upstream } from '#upstream/upstream'

export interface Ask {
  requestId: string
  caller: Caller
  operation: Operation
  dialect: Dialect
  /** The path parameter that names the model, for dialects that have one. */
  path?: string
  /** Reads the body once; may throw GatewayError (too large, not UTF-8). */
  body(): Promise<string>
  /** Further refusals of this door, after the head is read. Throws GatewayError. */
  check?(head: Head): void
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
  /** Sent while a streamed body is silent. */
  heartbeat?: Uint8Array
}

export interface RelayParts {
  channels: Channels
  prices: PriceBook
  books: Books
  /** The network. */
  upstream: Upstream
  /** The scripted model behind the same interface. */
  demo: Upstream
  clock: Clock
  dice: Dice
  log: Log
  retry: RetryPolicy
  version: string
  /** Milliseconds a streaming client waits before the head is committed, and between heartbeats. */
  heartbeatMs: number
}
