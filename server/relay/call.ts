/** What steps 6 to 8 work on. */
import type { ConversationCodec, Head } from '#canonical/codec'
import type { Price } from '#metering/price'
import type { Candidate } from '#routing/order'
import type { AttemptRow } from '#shared/console/log'
import type { GatewayError } from '#shared/errors'
import type { Ask, RelayParts } from './ask.ts'
import type { Way } from './way.ts'

/** A request that was read, planned and paid for in advance: what steps 6 to 8 work on. */
export interface Call {
  parts: RelayParts
  ask: Ask
  begun: { at: Date; tick: number }
  codec: ConversationCodec
  raw: string
  head: Head
  price: Price
  candidates: readonly Candidate[]
  /** Grows as attempts are made. */
  attempts: AttemptRow[]
  /** How a candidate is spoken to, or why its dialect cannot say this request. */
  way(candidate: Candidate): Promise<Way | GatewayError>
  /** Called once, when the books are closed. */
  closed(): void
}
