/**
 * Transcriptions and speech of Deepgram: the audio or the text is the body, everything else is in the URL. No endpoint has this style.
 * Read: https://developers.deepgram.com/docs/tts-media-output-settings, .../docs/errors.md, and the package @ai-sdk/deepgram with its
 * recorded answer (github vercel/ai packages/deepgram/src).
 */
import type { Target } from '#canonical/codec'
import type { FormFile, OperationHead, OperationUpstream } from '#canonical/operation/operation'
import { type Speech, type SpeechQuestion, unknownFields } from '#canonical/operation/speech'
import { knownFields, lossesIn } from '#protocols/codec/known-fields'
import type { GatewayError } from '#shared/errors'
import { isObject } from '#shared/json'
import { parseObject } from '#wire/json-scan'
import { readError as readErrorOfOpenai } from '../error.ts'
import { formField, formFile, formOf } from '../form.ts'
import type { SoundFormat } from './formats.ts'
import { noWhole } from './speak.ts'
import { formatIn } from './speak-question.ts'
import type { TranscribeQuestion } from './transcribe.ts'
import { lossesOf as lostParts, noTranscript, query, transcriptAnswer, type VendorTranscript } from './vendor-transcript.ts'

const linear = { encoding: 'linear16', sample_rate: '24000' }
const formats = {
  mp3: { encoding: 'mp3' },
  opus: { encoding: 'opus', container: 'ogg' },
  ogg: { encoding: 'opus', container: 'ogg' },
  aac: { encoding: 'aac' },
  flac: { encoding: 'flac' },
  wav: { ...linear, container: 'wav' },
  pcm: { ...linear, container: 'none' },
  mulaw: { encoding: 'mulaw', sample_rate: '8000', container: 'none' },
} satisfies Partial<Record<SoundFormat, Record<string, string>>>

/** The model is a voice: a different voice cannot be expressed. */
function writeSpeech(question: SpeechQuestion, { model }: Target) {
  const { text, voice } = question
  const answer = voice && voice !== model ? { ...question, others: { ...question.others, voice } } : question
  const written = { body: { text }, address: query({ model, ...formatIn<Record<string, string>>(formats, question) }) }
  return { requests: [written] as [typeof written], losses: unknownFields(answer, []) }
}

function writeTranscription(question: TranscribeQuestion, { model }: Target) {
  const form = formOf(question.form)
  const losses = lostParts(question)
  const language = formField(form, 'language')
  const address = query({
    model,
    // Without it there are neither capitals nor full stops.
    smart_format: 'true',
    ...(language ? { language } : { detect_language: 'true' }),
    diarize: question.head.format === 'diarized_json' ? 'true' : undefined,
  })
  const written = { body: formFile(form, 'file'), address }
  return { requests: [written] as [{ body: FormFile; address: string }], losses }
}

/** Fields of an answer; others only come with options that Parley does not send. */
const known = knownFields('metadata', { results: knownFields('channels') })

function readTranscription([body = '']: readonly string[], question: TranscribeQuestion, asking?: OperationHead) {
  const answer = parseObject(body)
  const results = isObject(answer?.results) ? answer.results : {}
  const [channel] = Array.isArray(results.channels) ? results.channels : []
  const [best] = isObject(channel) && Array.isArray(channel.alternatives) ? channel.alternatives : []
  if (!isObject(best) || typeof best.transcript !== 'string') noTranscript()
  const seconds = isObject(answer?.metadata) ? answer.metadata.duration : undefined
  const language = isObject(channel) ? channel.detected_language : undefined
  const result: VendorTranscript = {
    text: best.transcript,
    words: (Array.isArray(best.words) ? best.words : []).filter(isObject).flatMap(wordOf),
    ...(typeof seconds === 'number' && { seconds }),
    ...(typeof language === 'string' && { language }),
  }
  return { ...transcriptAnswer(result, question, asking), losses: lossesIn([answer], known) }
}

function wordOf({ word, punctuated_word: spelled, start, end, speaker }: Record<string, unknown>): VendorTranscript['words'] {
  const text = spelled ?? word
  if (typeof text !== 'string' || typeof start !== 'number' || typeof end !== 'number') return []
  return [{ word: text, start, end, ...(typeof speaker === 'number' && { speaker: `speaker_${speaker}` }) }]
}

/** `{err_code, err_msg}`, or `{category, message, details}`. */
function readError(status: number, headers: Headers, body: string): GatewayError {
  const answer = parseObject(body)
  const message = answer?.err_msg ?? [answer?.message, answer?.details].filter((one) => typeof one === 'string').join(' ')
  const error = { message: message === '' ? undefined : message, code: answer?.category }
  return readErrorOfOpenai(status, headers, answer ? JSON.stringify({ error }) : body)
}

/** Writes requests for speech; the sound passes. */
export const deepgramSpeech: OperationUpstream<SpeechQuestion, Speech> = {
  style: 'deepgram',
  accept: '*/*',
  passes: true,
  writeQuestion: writeSpeech,
  readAnswer: noWhole,
  readError,
}

/** Sends sound and reads transcripts. */
export const deepgramTranscripts: OperationUpstream<TranscribeQuestion, string> = {
  style: 'deepgram',
  writeQuestion: writeTranscription,
  readAnswer: readTranscription,
  readError,
}
