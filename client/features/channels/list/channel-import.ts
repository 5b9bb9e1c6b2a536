/** Import of pasted channels: the output of “Copy as JSON”, or JSON as the API takes it. Pure. */
import type { NewChannel } from '#shared/console/channel'

/** A channel to be created; other fields are validated by the server. */
export type PastedChannel = Omit<NewChannel, 'keys'>

/** The channels in a text: one, a list, or a list under `channels`; undefined otherwise. Keys are ignored: the user enters them. */
export function pastedChannels(text: string): PastedChannel[] | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  const inside = isRecord(value) && Array.isArray(value.channels) ? value.channels : value
  const list = Array.isArray(inside) ? inside : [inside]
  const found = list.flatMap((one) => {
    if (!isRecord(one) || typeof one.name !== 'string' || typeof one.vendor !== 'string' || !Array.isArray(one.models)) return []
    const { keys: _, ...channel } = one
    return [channel as unknown as PastedChannel]
  })
  return found.length > 0 && found.length === list.length ? found : undefined
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
