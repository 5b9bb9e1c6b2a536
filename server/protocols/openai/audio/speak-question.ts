/** A request for speech, for upstreams with formats of their own. */
import type { SpeechQuestion } from '#canonical/operation/speech'
import { operationNames } from '#protocols/codec/body-names'
import { GatewayError } from '#shared/errors'
import { isObject } from '#shared/json'
import { scanObject } from '#wire/json-scan'
import type { SoundFormat } from './formats.ts'

const known = new Set(['model', 'input', 'voice', 'response_format', 'speed', 'instructions', 'stream_format'])
const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined)

/** The question in a body that `readSpeakHead` took. */
export function speechQuestion(body: string): SpeechQuestion {
  const { value } = scanObject(body, operationNames)
  const { input, voice, response_format: format, speed, instructions, stream_format: stream } = value
  return {
    body,
    text: String(input),
    voice: isObject(voice) ? textOf(voice.id) : textOf(voice),
    format: textOf(format),
    speed: typeof speed === 'number' ? speed : undefined,
    instructions: textOf(instructions),
    events: stream === 'sse',
    others: Object.fromEntries(Object.entries(value).filter(([name, one]) => !known.has(name) && one !== null)),
  }
}

/** The upstream's name of the format. Throws `unsupported_value` if it has none. */
export function formatIn<Word>(formats: Partial<Record<SoundFormat, Word>>, { format = 'mp3' }: SpeechQuestion): Word {
  const word = formats[format as SoundFormat]
  if (word === undefined)
    throw new GatewayError('unsupported_value', `This upstream does not make ${format}.`, { param: 'response_format' })
  return word
}
