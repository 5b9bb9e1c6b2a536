/** The relay, as its endpoints use it. */
import type { Ask, Reply } from './ask.ts'
import type { Why } from './steps.ts'

export interface Relay {
  /** Throws GatewayError for every refusal, after its usage row is written. */
  (ask: Ask): Promise<Reply>
  /** Ends every open request for which `why` returns a reason: its client gets it as an error, and it is settled for what was delivered. */
  end(why: Why): void
}
