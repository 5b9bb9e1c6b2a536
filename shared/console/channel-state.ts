/** The state of a channel in one word, derived from what is resting there. */
import type { ChannelRow, HealthRow } from './channel.ts'

/** Switched off; all of it serves; parts of it rest; all of it rests. */
export const channelStates = ['healthy', 'degraded', 'open', 'off'] as const
export type ChannelState = (typeof channelStates)[number]

/** The state of a channel with these resting rows: only penalties count, not failures that have not led to one. */
export function channelState(
  row: { enabled: boolean; keys: readonly Pick<ChannelRow['keys'][number], 'enabled'>[]; models: readonly unknown[] },
  rests: readonly Pick<HealthRow, 'model'>[],
): ChannelState {
  if (!row.enabled) return 'off'
  if (rests.length === 0) return 'healthy'
  const keys = Math.max(1, row.keys.filter((key) => key.enabled).length)
  const whole = rests.filter((rest) => rest.model === null).length >= keys || rests.length >= keys * row.models.length
  return whole ? 'open' : 'degraded'
}
