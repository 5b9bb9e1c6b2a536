/** Whether new work is taken: not while the process shuts down, has too many requests open, or falls behind. */
import type { OpenWork } from '#relay/contract/ask'
import { GatewayError } from '#shared/errors'

/** What is looked at before every request that reaches a model. */
export interface Load {
  /** False: the process shuts down. */
  work: { readonly taken: boolean }
  open: Readonly<OpenWork>
  /** Milliseconds by which timers fire late. */
  lagMeter: { readonly lag: number }
  maxOpen: number
  /** Milliseconds. */
  maxLagMs: number
}

/** The error for a process that shuts down. */
export const shuttingDown = () => new GatewayError('overloaded', 'Parley is shutting down. Try again shortly.', { retryAfter: 5 })
const tooMuch = () => new GatewayError('overloaded', 'Parley is overloaded. Nothing was charged. Try again shortly.', { retryAfter: 2 })

/** Undefined while new work is taken; otherwise the `overloaded` error to refuse it with. */
export function overloadOf({ work, open, lagMeter, maxOpen, maxLagMs }: Load): GatewayError | undefined {
  if (!work.taken) return shuttingDown()
  return open.count >= maxOpen || lagMeter.lag > maxLagMs ? tooMuch() : undefined
}
