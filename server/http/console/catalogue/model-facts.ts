/** A channel's facts about a model. */
import type { Channel } from '#routing/channel'
import type { ModelRow } from '#shared/console/model'

/** This channel's facts about the model; none without a channel. */
export function factsOf(channel: Channel | undefined, id: string): Pick<ModelRow, 'contextTokens' | 'maxOutputTokens' | 'capabilities'> {
  const { contextTokens = null, maxOutputTokens = null, serves: _, ...facts } = channel?.models.get(id)?.capabilities ?? {}
  return { contextTokens, maxOutputTokens, capabilities: { ...facts } }
}
