/** What Parley reads of a request for speech: the model, the text, the format, the speed. */
import type { Incoming, OperationHead } from '#canonical/operation/operation'
import { noUsage, type Usage } from '#canonical/usage'
import { operationNames } from '#protocols/codec/body-names'
import { GatewayError } from '#shared/errors'
import { isObject } from '#shared/json'
import { scanObject } from '#wire/json-scan'
import { type Body, isAbsent, missing, readModel, readNumber, readText, readWord, wrong } from '../fields.ts'
import { type SoundFormat, soundFormats, sounds } from './formats.ts'
import { type Measured, outputTokensPerSecond } from './usage.ts'

/** Plain data: a large body is read in another thread. */
export interface SpeakHead extends OperationHead {
  /** Bytes of the text and of the instructions. */
  textBytes: number
  format: SoundFormat
  /** Events were requested instead of plain audio. */
  events: boolean
}

/** Maximum seconds of speech per character: of a letter, or of a character for a syllable or a word. */
const letterTime = 0.12
const signTime = 0.4

/** Throws GatewayError 400 with the field as `param`. */
export function readSpeakHead(body: Incoming): SpeakHead {
  if (typeof body !== 'string') throw new GatewayError('unsupported_media_type', 'The body must be JSON.')
  const { value } = scanObject(body, operationNames)
  const input = readText(value, 'input')
  if (input === undefined) throw missing('input')
  if (input.trim() === '') throw wrong('input', 'text that is not empty')
  refuseVoice(value)
  const speed = readNumber(value, 'speed') ?? 1
  if (speed < 0.25 || speed > 4) throw wrong('speed', 'a number from 0.25 to 4')
  const format = readWord(value, 'response_format', soundFormats) ?? 'mp3'
  const text = input + (readText(value, 'instructions') ?? '')
  const most = mostUsage(input, text, speed)
  return {
    model: readModel(value.model),
    // Sound is handed on piece by piece, whatever it is called.
    stream: true,
    format,
    events: readWord(value, 'stream_format', ['audio', 'sse'] as const) === 'sse',
    n: 1,
    inputBytes: Buffer.byteLength(body),
    usageAsked: true,
    media: [],
    searchAsked: false,
    affinity: [],
    most,
    textBytes: Buffer.byteLength(text),
    ...(isObject(value.voice) && typeof value.voice.id === 'string' && { stateRefs: [{ kind: 'voice', id: value.voice.id }] }),
  }
}

/** The head with the estimate for audio whose usage the upstream does not report. */
export const measured = (head: SpeakHead): SpeakHead & Measured => ({
  ...head,
  estimate: (delivered) => estimated(head.most, Math.ceil(head.textBytes / 4), delivered / sounds[head.format].second),
})

/** A name or `{id}`; servers of the same shape may have a voice of their own when none is named. */
function refuseVoice({ voice }: Body): void {
  if (isAbsent(voice) || typeof voice === 'string' || (isObject(voice) && typeof voice.id === 'string')) return
  throw wrong('voice', 'the name of a voice, or an object with its id')
}

function mostUsage(input: string, text: string, speed: number): Usage {
  const usage = noUsage()
  const characters = codePoints(input)
  const signs = characters - codePoints(input.replace(/\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\d/gu, ''))
  const seconds = 2 + (signs * signTime + (characters - signs) * letterTime) / speed
  usage.units.characters = characters
  usage.units.seconds = Math.ceil(seconds)
  usage.in.fresh = codePoints(text)
  usage.out.audio = Math.ceil(seconds * outputTokensPerSecond)
  usage.out.total = usage.out.audio
  return usage
}

/** Never more than was held: the length is a guess by the size, and some upstreams make larger files than others. */
function estimated(most: Usage, textTokens: number, seconds: number): Usage {
  const usage = noUsage()
  usage.units.characters = most.units.characters
  usage.units.seconds = Math.min(most.units.seconds, seconds)
  usage.in.fresh = Math.min(most.in.fresh, textTokens)
  usage.out.audio = Math.min(most.out.audio, Math.ceil(seconds * outputTokensPerSecond))
  usage.out.total = usage.out.audio
  return usage
}

/** Without a list of them: a text may be long. */
function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}
