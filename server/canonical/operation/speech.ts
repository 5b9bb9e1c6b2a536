/** Speech from text, canonical: what upstreams with words of their own are asked. */
import type { Loss } from '#canonical/loss'

/** What is to be said, and how. */
export interface SpeechQuestion {
  /** The caller's own body, for upstreams of its style. */
  body: string
  text: string
  /** The name or id of a voice. */
  voice: string | undefined
  /** As OpenAI names them; undefined = the caller does not say. */
  format: string | undefined
  speed: number | undefined
  instructions: string | undefined
  /** The sound is asked for in events. */
  events: boolean
  /** Fields with names of their own. */
  others: Readonly<Record<string, unknown>>
}

/** Sound that came whole. */
export interface Speech {
  sound: Uint8Array
}

/** The losses of an upstream that knows only what is `taken` of the others. */
export function unknownFields({ others, instructions, speed }: SpeechQuestion, taken: readonly string[]): Loss[] {
  const said = { ...others, ...(instructions !== undefined && { instructions }), ...(speed !== undefined && speed !== 1 && { speed }) }
  const fields = Object.keys(said).filter((name) => !taken.includes(name))
  return fields.map((field) => ({ field, what: 'dropped', reason: 'This upstream does not know the field.', meaning: true }))
}
