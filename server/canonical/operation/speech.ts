/** The canonical form of text-to-speech, for upstreams with formats of their own. */
import type { Loss } from '#canonical/loss'

/** A request for speech. */
export interface SpeechQuestion {
  /** The caller's own body, for upstreams of its style. */
  body: string
  text: string
  /** The name or id of a voice. */
  voice: string | undefined
  /** As OpenAI names it; undefined = not specified. */
  format: string | undefined
  speed: number | undefined
  instructions: string | undefined
  /** The audio is requested as events. */
  events: boolean
  /** Fields without a canonical form, by wire name. */
  others: Readonly<Record<string, unknown>>
}

/** A whole audio answer. */
export interface Speech {
  sound: Uint8Array
}

/** The losses of an upstream that only supports the `taken` ones of the other fields. */
export function unknownFields({ others, instructions, speed }: SpeechQuestion, taken: readonly string[]): Loss[] {
  const given = { ...others, ...(instructions !== undefined && { instructions }), ...(speed !== undefined && speed !== 1 && { speed }) }
  const fields = Object.keys(given).filter((name) => !taken.includes(name))
  return fields.map((field) => ({ field, what: 'dropped', reason: 'This upstream does not know the field.', meaning: true }))
}
