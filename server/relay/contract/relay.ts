/** The relay, as its doors see it. */
import type { Ask, Reply } from './ask.ts'
import type { Why } from './steps.ts'

export interface Relay {
  /** Throws GatewayError for every refusal, after its usage row is written. */
  (ask: Ask): Promise<Reply>
  /** Requests that are not settled yet. */
  open(): number
  /** Ends open requests for which there is a reason: they are told, and settled for what they got. */
  end(why: Why): void
}
