/** A body that Parley wrote for a candidate: what its channel changes in it, and what it may not lose. */
import type { Loss } from '#canonical/loss'
import type { Candidate } from '#routing/order'
import { GatewayError } from '#shared/errors'

/** A body that Parley wrote, with the fields that the channel sets and removes. */
export function withParams(body: Record<string, unknown>, { channel }: Candidate): Record<string, unknown> {
  const removed = new Set(channel.params.remove ?? [])
  const kept = Object.entries(body).filter(([field]) => !removed.has(field))
  return Object.fromEntries([...kept, ...Object.entries(channel.params.set ?? {})])
}

/** Strict mode: a loss of meaning is a refusal. Throws `unsupported_value` with the field. */
export function refuseLosses(losses: readonly Loss[]): void {
  const loss = losses.find((one) => one.meaning)
  if (loss) {
    throw new GatewayError(
      'unsupported_value',
      `This upstream cannot carry \`${loss.field}\`, and strict mode was asked for: ${loss.reason}`,
      { param: loss.field },
    )
  }
}
