/** Usage of a realtime session, event by event, as OpenAI counts it: tokens by kind, or seconds of audio. */
import { noUsage, promptOf, type Usage } from '#canonical/usage'
import { isObject } from '#shared/json'

type Fields = Record<string, unknown>

/** More than one event can be about; larger figures are not believed. */
const absurd = 1e9

const count = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= absurd ? value : undefined
const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {})

/** Parts taken from a whole: none is negative, and together they never exceed it. */
function share(whole: number) {
  let left = whole
  return {
    take(part: unknown): number {
      const taken = Math.min(left, count(part) ?? 0)
      left -= taken
      return taken
    },
    rest: () => left,
  }
}

/**
 * `usage` of a `response.done` or of a finished transcription. Cached tokens are subtracted from their kind; if that is not reported, from
 * text first. Undefined when implausible.
 */
export function readUsage(raw: unknown): Usage | undefined {
  if (!isObject(raw)) return undefined
  return raw.type === 'duration' ? readDuration(raw.seconds) : readTokens(raw)
}

function readTokens(raw: Fields): Usage | undefined {
  const input = count(raw.input_tokens)
  const output = count(raw.output_tokens)
  if (input === undefined || output === undefined) return undefined
  const { audio, image, cached } = inputKinds(input, fieldsOf(raw.input_token_details))
  const usage = noUsage()
  usage.in = { ...usage.in, cacheRead: cached, audio, image, fresh: input - cached - audio - image }
  usage.out = { ...usage.out, total: output, audio: share(output).take(fieldsOf(raw.output_token_details).audio_tokens) }
  usage.provenance = 'provider'
  return usage
}

function inputKinds(input: number, details: Fields): { audio: number; image: number; cached: number } {
  const whole = share(input)
  const audio = share(whole.take(details.audio_tokens))
  const image = share(whole.take(details.image_tokens))
  const text = share(whole.rest())
  const left = share(count(details.cached_tokens) ?? 0)
  const named = fieldsOf(details.cached_tokens_details)
  let cached = 0
  for (const [kind, tokens] of [
    [text, named.text_tokens],
    [audio, named.audio_tokens],
    [image, named.image_tokens],
  ] as const) {
    cached += kind.take(left.take(tokens))
  }
  for (const kind of [text, audio, image]) cached += kind.take(left.take(Math.min(left.rest(), kind.rest())))
  return { audio: audio.rest(), image: image.rest(), cached }
}

function readDuration(seconds: unknown): Usage | undefined {
  if (typeof seconds !== 'number' || !(seconds >= 0 && seconds <= absurd)) return undefined
  const usage = noUsage()
  usage.units.seconds = Math.ceil(seconds)
  usage.provenance = 'provider'
  return usage
}

/** Bytes of text per second of speech, in any script, and its audio tokens. */
const spokenBytes = 15
const inputTokensPerSecond = 10

/**
 * Usage of a finished transcription, which is not a request of its own; estimated from its text if the upstream reports none. Undefined
 * when there is no text either.
 */
export function transcriptUsage(reported: Usage | undefined, transcript: unknown): Usage | undefined {
  const bytes = typeof transcript === 'string' ? Buffer.byteLength(transcript) : 0
  const isEmpty = !reported || promptOf(reported) + reported.out.total + reported.units.seconds === 0
  if (isEmpty && bytes === 0) return reported && asPart(reported)
  if (!isEmpty) return asPart(reported)
  const usage = noUsage()
  usage.in.audio = Math.ceil((bytes / spokenBytes) * inputTokensPerSecond)
  usage.out.total = Math.ceil(bytes / 4)
  return asPart(usage)
}

const asPart = (usage: Usage): Usage => ({ ...usage, units: { ...usage.units, requests: 0 } })
