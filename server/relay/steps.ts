/**
 * What the eight steps of a request hand to each other. Each step returns a value that the next one takes; nobody changes a
 * value that it was given.
 */
import type { Head, StateRef } from '#canonical/codec'
import type { Loss } from '#canonical/loss'
import type { Usage } from '#canonical/usage'
import type { Ticket } from '#metering/limits'
import type { Rates } from '#metering/price'
import type { Candidate } from '#routing/order'
import type { GatewayError } from '#shared/errors'
import type { End } from '#shared/ids'
import type { Ask } from './ask.ts'
import type { Exchange } from './exchange.ts'
import type { InFlightRequest } from './in-flight.ts'

/** Steps 1 and 2: a request that was matched and admitted by its door. */
export interface Arrival {
  /** Its signal is the guest's. */
  ask: Ask
  at: Date
  /** Monotonic milliseconds. */
  tick: number
  flight: InFlightRequest
}

/** Step 3: a request whose body was read by the codec of its door; the same for conversations and all other operations. */
export interface ReadRequest {
  ask: Ask
  head: Head
  /** The largest usage it may come to; absent = as its bytes and output limits say. */
  most?: Usage
  /** The planned candidates, those first that can continue the conversation where it stands. */
  inOrder(candidates: readonly Candidate[]): Promise<readonly Candidate[]>
  /** This candidate has begun to answer. */
  served(candidate: Candidate): void
  /** How this candidate is spoken to, or why it cannot be sent this request. `rates` are those of the model asked for. */
  exchange: ExchangeFor
  /** A harmless frame for a waiting client of a stream; absent = nothing can be said before the answer. */
  keepalive?: Uint8Array
  /** Absent, or undefined = a stream of this kind has no words for it and is broken off. */
  writeStreamError?(error: GatewayError): Uint8Array | undefined
  /** State kept elsewhere that the request may refer to; absent = none. */
  known?: readonly StateRef[]
  /** Called once when nothing will read the body again. */
  release?(): void
}

/** What a request asks, as far as it is the same for every candidate. */
export type Asked = Pick<ReadRequest, 'ask' | 'head'>

export type ExchangeFor = (candidate: Candidate, rates: Rates) => Promise<Exchange | GatewayError>

/** Step 5: what the request may use. */
export interface Hold {
  /** Nano-dollars that are held when it begins. */
  amount: bigint
  ticket: Ticket
}

/** Step 6: a candidate that has answered, and what was received of it. */
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
  /** Undefined: no output ever began, nothing is charged. */
  usage: Usage | undefined
  /** Who delivered. */
  served: Pick<Received<unknown>, 'candidate'> | undefined
  /** Of the request and of what was delivered of the answer. */
  losses: readonly Loss[]
  /** Monotonic milliseconds at the first content. */
  firstAt: number | undefined
  /** Milliseconds of the last attempt after its first content. */
  streamedMs: number
}
