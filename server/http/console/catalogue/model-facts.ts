/** What a channel knows of a model. */
import type { Channel } from '#routing/channel'
import type { ModelRow } from '#shared/console/model'

/** What this channel knows of the model; without a channel nothing is known. */
export function factsOf(channel: Channel | undefined, id: string): Pick<ModelRow, 'contextTokens' | 'maxOutputTokens' | 'capabilities'> {
  const { contextTokens = null, maxOutputTokens = null, serves: _, ...facts } = channel?.models.get(id)?.capabilities ?? {}
  return { contextTokens, maxOutputTokens, capabilities: { ...facts } }
}
