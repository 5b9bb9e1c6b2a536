/** Transcripts of other vendors in the format of OpenAI's endpoint. */
import type { Loss } from '#canonical/loss'
import type { OperationHead, WrittenOperation } from '#canonical/operation/operation'
import type { Usage } from '#canonical/usage'
import { lossList } from '#protocols/codec/field-writers'
import { GatewayError } from '#shared/errors'
import { isPlainText } from './formats.ts'
import type { TranscribeQuestion } from './transcribe.ts'
import type { TranscribeHead } from './transcribe-head.ts'
import { settleSound } from './usage.ts'

/** A transcript. Times in seconds. */
export interface VendorTranscript {
  text: string
  language?: string | undefined
  seconds?: number | undefined
  words: { word: string; start: number; end: number; speaker?: string | undefined }[]
}

/** Names of text parts that each upstream gets in its own form, or that only concern the answer's format. */
const asked = new Set(['model', 'file', 'language', 'response_format', 'stream', 'timestamp_granularities[]', 'timestamp_granularities'])

/** The losses of a form, without the `taken` parts. Throws `unsupported_value` for formats that cannot be made from words. */
export function lossesOf({ form, head, variant }: TranscribeQuestion, taken: readonly string[] = []): readonly Loss[] {
  if (variant === 'translate') throw new GatewayError('unsupported_endpoint', 'This upstream transcribes, and does not translate.')
  if (head.format === 'srt' || head.format === 'vtt')
    throw new GatewayError('unsupported_value', 'This upstream makes no subtitles.', { param: 'response_format' })
  const losses = lossList()
  for (const part of formParts(form)) {
    if (part.name.startsWith('timestamp_granularities') && part.value === 'segment' && head.format === 'verbose_json')
      losses.dropped('timestamp_granularities', 'This upstream reports times of words, not of segments.')
    if (!asked.has(part.name) && !taken.includes(part.name)) losses.dropped(part.name, 'This upstream does not know the field.')
  }
  return losses.losses
}

const formParts = (form: TranscribeQuestion['form']) =>
  typeof form === 'string' ? [] : form.parts.flatMap((part) => ('value' in part ? [part] : []))

/** The answer in the requested format, and its usage. */
export function transcriptAnswer(
  result: VendorTranscript,
  { head }: TranscribeQuestion,
  asking?: OperationHead,
): { answer: string; usage: Usage } {
  const reported = {
    tokens: undefined,
    seconds: result.seconds,
    raw: result.seconds === undefined ? undefined : { duration: result.seconds },
  }
  const usage = settleSound(asking ? { ...head, ...asking } : head, reported, Buffer.byteLength(result.text))
  return { answer: isPlainText(head.format) ? `${result.text}\n` : JSON.stringify(bodyOf(result, head)), usage }
}

function bodyOf({ text, language, seconds, words }: VendorTranscript, { format }: TranscribeHead): Record<string, unknown> {
  const usage = seconds !== undefined && { usage: { type: 'duration', seconds } }
  if (format === 'json') return { text, ...usage }
  const head = {
    task: 'transcribe',
    ...(language !== undefined && { language }),
    ...(seconds !== undefined && { duration: seconds }),
    text,
  }
  if (format === 'verbose_json') return { ...head, words: words.map(({ word, start, end }) => ({ word, start, end })), ...usage }
  return { ...head, segments: turnsOf(words), ...usage }
}

/** Consecutive words of the same speaker. */
function turnsOf(words: VendorTranscript['words']): Record<string, unknown>[] {
  const turns: { speaker: string; start: number; end: number; text: string }[] = []
  for (const { word, start, end, speaker = '' } of words) {
    const last = turns.at(-1)
    if (last?.speaker !== speaker) turns.push({ speaker, start, end, text: word })
    else Object.assign(last, { end, text: `${last.text} ${word}` })
  }
  return turns.map((turn, n) => ({ type: 'transcript.text.segment', id: `seg_${n + 1}`, ...turn }))
}

/** A query that is appended to an address. */
export const query = (fields: Readonly<Record<string, string | undefined>>): NonNullable<WrittenOperation['address']> =>
  `?${new URLSearchParams(Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined))}`

/** Throws: the upstream answered with something else. */
export function noTranscript(): never {
  throw new GatewayError('upstream_error', 'The upstream did not answer with a transcript.')
}
