/** The vendor of a channel by the channel's name, as usage rows write it. */
import type { Channels } from '#routing/channel'

/** Looks it up in what the registry has now; undefined for a channel that is gone. */
export function vendorsByName(channels: Pick<Channels, 'all'>): (channel: string) => string | undefined {
  return (name) => {
    for (const channel of channels.all()) if (channel.name === name) return channel.vendor.id
    return undefined
  }
}
