/** What steps 6 to 8 work on. */
import type { Allowances } from '#canonical/allowance'
import type { Head } from '#canonical/codec'
import type { Usage } from '#canonical/usage'
import type { Candidate } from '#routing/order'
import type { AttemptRow } from '#shared/console/log'
import type { GatewayError } from '#shared/errors'
import type { Ask, RelayParts } from './ask.ts'
import type { Servings } from './serving.ts'
import type { Way } from './way.ts'

/** A request that was read, planned and paid for in advance: what steps 6 to 8 work on. */
export interface Call {
  parts: RelayParts
  ask: Ask
  begun: { at: Date; tick: number }
  opened: Opened
  head: Head
  servings: Servings
  /** Nano-dollars that were held when it began. */
  held: bigint
  /** Grows as attempts are made. */
  attempts: AttemptRow[]
  /** How a candidate is spoken to, or why its dialect cannot say this request. */
  way(candidate: Candidate): Promise<Way | GatewayError>
  /** What the caller's own limits leave. */
  left: Allowances
  /** Called once, when the books are closed, with the tokens that were used. */
  closed(tokens: number): void
}

/** A request whose body was read by the codec of its door: what the staircase may ask of it without knowing which kind it is. */
export interface Opened {
  head: Head
  /** The largest usage it may come to; absent = as its bytes and output limits say. */
  most?: Usage
  /** The planned candidates, those first that can go on where the conversation stands; absent = as planned. */
  inOrder?(candidates: readonly Candidate[]): Promise<readonly Candidate[]>
  /** This candidate has begun to answer; absent = nobody needs to know. */
  served?(candidate: Candidate): void
  /** How candidates are spoken to, or why one cannot be told this request. */
  ways(call: Call): (candidate: Candidate) => Promise<Way | GatewayError>
  /** A harmless frame for a waiting client of a stream; absent = nothing can be said before the answer. */
  keepalive?: Uint8Array
  /** Absent = a stream of this kind cannot say it and is broken off. */
  writeStreamError?(error: GatewayError): Uint8Array | undefined
}
