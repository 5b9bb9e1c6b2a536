/** Tokens of audio. OpenAI counts ten a second for input, twenty for output; frames contain it in base64. */
import { isObject } from '#shared/json'

/** Characters of base64 per token. */
export interface SoundRates {
  input: number
  output: number
}

const base64 = 4 / 3
const ratesOf = (bytesPerSecond: number): SoundRates => ({
  input: (bytesPerSecond * base64) / 10,
  output: (bytesPerSecond * base64) / 20,
})

/** 24 kHz, 16 bits. */
const pcm = ratesOf(48_000)
/** 8 kHz, 8 bits. */
const telephone = ratesOf(8_000)

/** The rates of sound whose format was not negotiated. */
export const usualSound: SoundRates = { input: pcm.input, output: pcm.output }

/** The rates of a session as the upstream describes it; unnamed rates stay unchanged. */
export function soundOf(session: unknown, before: SoundRates): SoundRates {
  if (!isObject(session)) return before
  const audio = isObject(session.audio) ? session.audio : {}
  return {
    input: named(formatIn(audio.input) ?? session.input_audio_format)?.input ?? before.input,
    output: named(formatIn(audio.output) ?? session.output_audio_format)?.output ?? before.output,
  }
}

function formatIn(side: unknown): unknown {
  const format = isObject(side) ? side.format : undefined
  return isObject(format) ? format.type : format
}

function named(format: unknown): SoundRates | undefined {
  if (typeof format !== 'string') return undefined
  return /pcm[ua]|g711/.test(format) ? telephone : pcm
}
