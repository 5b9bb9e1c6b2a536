/** The relay, as its endpoints use it. */
import type { Ask, Reply } from './ask.ts'
import type { Why } from './steps.ts'

export interface Relay {
  /** Throws GatewayError for every refusal, after its usage row is written. */
  (ask: Ask): Promise<Reply>
  /** Ends the open requests for which there is a reason: their clients get it as an error, and they are settled for what was delivered. */
  end(why: Why): void
}
