/**
 * The values that the eight steps of a request pass on. Each step returns a value for the next one; no step modifies a value that it was
 * given.
 */

import type { Caller } from '#accounts/caller'
import type { Price, Rates } from '#billing/pricing/price'
import type { Ticket } from '#billing/ratelimit/limits'
import type { Head } from '#canonical/codec'
import type { Loss } from '#canonical/loss'
import type { Usage } from '#canonical/usage'
import type { FallbackCause } from '#routing/fallbacks'
import type { Candidate } from '#routing/order'
import type { AbortSignalLike } from '#runtime/contract/abort'
import type { AttemptRow } from '#shared/console/log'
import type { GatewayError } from '#shared/errors'
import type { End } from '#shared/ids'
import type { Ask } from './ask.ts'
import type { Exchange } from './exchange.ts'
import type { RequestTrace } from './tracing.ts'

/** Why a request must end; undefined: it may continue. */
export type Why = (caller: Caller, model?: string) => GatewayError | undefined

/** A request that is being served. */
export interface InFlightRequest {
  /** Aborted when the client disconnects, or when the request is ended, with the GatewayError for the client as its reason. */
  signal: AbortSignalLike
  /** The client stopped reading: aborts the signal as if its connection had closed. */
  hangUp(): void
  /**
   * Called when an upstream has started on a whole answer (true), or has failed (false). In between, a disconnecting client does not end
   * the request: the upstream would be paid for an answer that nobody is charged for.
   */
  making(isMaking: boolean): void
  /** Whether the client has disconnected. */
  left(): boolean
  /** Called once the requested model is known, and whether the answer is to be a stream. */
  asksFor(model: string, isStream: boolean): void
  /** Registers what to release when the request is settled: the reservation of its body. */
  keeps(release: () => void): void
  /** The request is settled. */
  leave(): void
}

/** Steps 1 and 2: a request that its endpoint has matched and admitted. */
export interface Arrival {
  /** Its signal is that of the request in flight. */
  ask: Ask
  at: Date
  /** Monotonic milliseconds. */
  tick: number
  flight: InFlightRequest
}

/** Step 3: a request whose body was read by its codec; the same for conversations and all other operations. */
export interface ReadRequest {
  ask: Ask
  head: Head
  /** The largest possible usage; absent = derived from its bytes and output limits. */
  most?: Usage
  /** The planned candidates, those first that already hold the conversation. A promise only when that needs a lookup. */
  inOrder(candidates: readonly Candidate[]): readonly Candidate[] | Promise<readonly Candidate[]>
  /** Called when this candidate has begun to answer. */
  served(candidate: Candidate): void
  /** The exchange with this candidate, or why it cannot be sent this request. `rates` are those of the requested model. */
  exchange: ExchangeFor
  /** A heartbeat frame for a client that waits for a stream; absent: nothing may be sent before the answer. */
  keepalive?: Uint8Array | undefined
  /** Writes an error into the stream. Absent or undefined: the dialect cannot express it, and the stream is cut off. */
  writeStreamError?(error: GatewayError): Uint8Array | undefined
  /** Called once when the body is no longer needed. */
  release?(): void
}

/** The parts of a request that are the same for every candidate. */
export type Asked = Pick<ReadRequest, 'ask' | 'head'>

/** Prepares the exchange with a candidate, or returns why the request cannot be sent to it. */
export type ExchangeFor = (candidate: Candidate, rates: Rates) => Promise<Exchange | GatewayError>

/** Step 4: one model with every candidate that may be asked for it now. */
export interface ModelCandidates {
  model: string
  price: Price
  /** Best first. */
  candidates: readonly Candidate[]
  /** Why no candidate can be asked now. */
  refusal?: GatewayError
}

/** Fallback models with their candidates, by the cause of a failure. */
export type StandIns = Readonly<Record<FallbackCause, readonly ModelCandidates[]>>

export interface RequestModels {
  asked: ModelCandidates
  instead: StandIns
}

/** Step 5: what the request may use. */
export interface Hold {
  /** Nano-dollars that are held when it begins. */
  amount: bigint
  ticket: Ticket
  /** Resolves when it is held; rejects with `insufficient_quota`, or when it cannot be recorded. */
  ready: Promise<void>
}

/** The attempts of one request, for its usage row: step 6 writes them, step 8 closes the last one and reads them all. */
export interface AttemptLog {
  /** Adds a row, which the attempt fills in as it goes. */
  begin(row: AttemptRow): void
  /** Completes the row of the attempt that delivered: `done`, or the error that ended it after its first event. */
  close(error: GatewayError | undefined, streamedMs: number): void
  rows(): readonly AttemptRow[]
  /** Absent: no traces are collected. */
  trace?: RequestTrace | undefined
}

/** Step 6: the candidate that answered, and what it sent. */
export interface Received<Value> {
  candidate: Candidate
  exchange: Exchange
  value: Value
}

/** Step 7: how an answer ended, for its settlement. */
export interface Ending {
  end: End
  /** What the client saw, or would have seen. */
  status: number
  error: GatewayError | undefined
  /** Undefined: there was no output, so nothing is charged. */
  usage: Usage | undefined
  /** The service tier that the answer reports outside of its usage; absent: none. */
  tier?: string | undefined
  /** The candidate that delivered. */
  served: { candidate: Candidate; exchange: Pick<Exchange, 'notes'> } | undefined
  /** Losses of the request and of the delivered part of the answer. */
  losses: readonly Loss[]
  /** Monotonic milliseconds at the first content. */
  firstAt: number | undefined
  /** Milliseconds of the last attempt after its first content. */
  streamedMs: number
}
