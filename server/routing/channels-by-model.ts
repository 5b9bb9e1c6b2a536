/** Which channels offer a model to a group, as maps that are built once per change and only read by requests. */
import type { Channel } from './channel.ts'

/** The index, read-only. */
export interface ChannelsByModel {
  channels(group: string, model: string): readonly Channel[]
  models(group: string): readonly string[]
}

const none: readonly never[] = []

/** Indexes the enabled channels by group and model. */
export function channelsByModel(channels: Iterable<Channel>): ChannelsByModel {
  const byGroup = new Map<string, Map<string, Channel[]>>()
  for (const channel of channels) {
    if (!channel.enabled) continue
    for (const group of channel.groups) {
      const byModel = byGroup.get(group) ?? new Map<string, Channel[]>()
      byGroup.set(group, byModel)
      for (const model of channel.models.keys()) {
        const offering = byModel.get(model)
        if (offering) offering.push(channel)
        else byModel.set(model, [channel])
      }
    }
  }
  const names = new Map([...byGroup].map(([group, byModel]) => [group, [...byModel.keys()].sort()]))
  return {
    channels: (group, model) => byGroup.get(group)?.get(model) ?? none,
    models: (group) => names.get(group) ?? none,
  }
}
