/** A request for speech, for upstreams with words of their own. */
import type { Loss } from '#canonical/loss'
import { operationNames } from '#protocols/codec/body-names'
import { lossList } from '#protocols/codec/field-writers'
import { GatewayError } from '#shared/errors'
import { isObject, type JsonObject } from '#shared/json'
import { scanObject } from '#wire/json-scan'
import { type SoundFormat, soundFormats } from './formats.ts'

/** What is to be said, and how. */
export interface SpeakQuestion {
  text: string
  /** The id of a voice. */
  voice: string | undefined
  format: SoundFormat
  speed: number | undefined
  /** Fields with names of their own, by name. */
  others: JsonObject
}

const known = new Set(['model', 'input', 'voice', 'response_format', 'speed', 'stream_format'])

/** The question in a body that `readSpeakHead` took. */
export function speakQuestion(body: string): SpeakQuestion {
  const { value } = scanObject(body, operationNames)
  const { input, voice, response_format: format, speed } = value
  return {
    text: String(input),
    voice: isObject(voice) ? String(voice.id) : typeof voice === 'string' ? voice : undefined,
    format: soundFormats.find((one) => one === format) ?? 'mp3',
    speed: typeof speed === 'number' ? speed : undefined,
    others: Object.fromEntries(Object.entries(value).filter(([name, one]) => !known.has(name) && one !== null)),
  }
}

/** The losses of what the upstream does not know, but for fields that are `taken`. */
export function lossesOf({ others }: SpeakQuestion, taken: readonly string[] = []): { losses: readonly Loss[]; dropped(field: string): void } {
  const losses = lossList()
  const dropped = (field: string) => losses.dropped(field, 'This upstream does not know the field.')
  for (const name of Object.keys(others)) if (!taken.includes(name)) dropped(name)
  return { losses: losses.losses, dropped }
}

/** The upstream's word for the format. Throws `unsupported_value` where it has none. */
export function formatIn<Word>(formats: Partial<Record<SoundFormat, Word>>, { format }: SpeakQuestion): Word {
  const word = formats[format]
  if (word === undefined)
    throw new GatewayError('unsupported_value', `This upstream does not make ${format}.`, { param: 'response_format' })
  return word
}
