/** Channel health for metrics. */
import type { ChannelRegistry } from '#routing/channels'
import type { Health } from '#routing/health-contract'

/** Number of open breakers by channel name; only channels that have any. */
export function openBreakers(health: Health, channels: ChannelRegistry): ReadonlyMap<string, number> {
  const names = new Map(channels.rows().map(({ id, name }) => [id, name]))
  const open = new Map<string, number>()
  for (const { channelId } of health.resting()) {
    const name = names.get(channelId) ?? channelId
    open.set(name, (open.get(name) ?? 0) + 1)
  }
  return open
}
