/**
 * Speech and transcriptions of ElevenLabs. No endpoint has this style.
 * Read: https://elevenlabs.io/docs/api-reference, the package @ai-sdk/elevenlabs with its recorded answers (github vercel/ai
 * packages/elevenlabs/src), and errors in github home-assistant/core issue 160414 and elevenlabs/elevenlabs-docs issue 301.
 */
import type { Target } from '#canonical/codec'
import type { OperationHead, OperationUpstream } from '#canonical/operation/operation'
import { type Speech, type SpeechQuestion, unknownFields } from '#canonical/operation/speech'
import { knownFields, lossesIn } from '#protocols/codec/known-fields'
import { GatewayError } from '#shared/errors'
import { isObject } from '#shared/json'
import { parseObject } from '#wire/json-scan'
import { readError as readErrorOfOpenai } from '../error.ts'
import { formField, formFile, formOf } from '../form.ts'
import { noWhole } from './speak.ts'
import { formatIn } from './speak-question.ts'
import type { TranscribeQuestion } from './transcribe.ts'
import { lossesOf as lostParts, noTranscript, query, transcriptAnswer } from './vendor-transcript.ts'

const formats = { mp3: 'mp3_44100_128', opus: 'opus_48000_128', wav: 'wav_24000', pcm: 'pcm_24000', mulaw: 'ulaw_8000' } as const

/** Its own fields, which are forwarded. */
const own = [
  ...['language_code', 'voice_settings', 'seed', 'previous_text', 'next_text', 'previous_request_ids', 'next_request_ids'],
  ...['pronunciation_dictionary_locators', 'apply_text_normalization', 'apply_language_text_normalization'],
]

function writeSpeech(question: SpeechQuestion, { model }: Target) {
  const { text, voice, speed, others } = question
  if (!voice) throw new GatewayError('unsupported_value', 'This upstream needs the id of a voice.', { param: 'voice' })
  const passed = Object.fromEntries(Object.entries(others).filter(([name]) => own.includes(name)))
  const settings = { ...(isObject(passed.voice_settings) && passed.voice_settings), ...(speed !== undefined && { speed }) }
  const address = `/${encodeURIComponent(voice)}/stream${query({ output_format: formatIn(formats, question) })}`
  const written = { ...passed, text, model_id: model, ...(Object.keys(settings).length > 0 && { voice_settings: settings }) }
  return {
    requests: [{ body: written, address }] as [{ body: typeof written; address: string }],
    losses: unknownFields(question, [...own, 'speed']),
  }
}

function writeTranscription(question: TranscribeQuestion, { model }: Target) {
  const form = formOf(question.form)
  const losses = lostParts(question, ['temperature'])
  const fields = {
    model_id: model,
    language_code: formField(form, 'language'),
    temperature: formField(form, 'temperature'),
    diarize: question.head.format === 'diarized_json' ? 'true' : undefined,
  }
  const texts = Object.entries(fields).flatMap(([name, value]) => (value ? [{ name, value }] : []))
  const body = { parts: [...texts, formFile(form, 'file')], size: form.size }
  return { requests: [{ body }] as [{ body: typeof body }], losses }
}

/** Confidences of words and language are not used. */
const known = knownFields('text words language_code language_probability transcription_id audio_duration_secs')

function readTranscription([body = '']: readonly string[], question: TranscribeQuestion, asking?: OperationHead) {
  const answer = parseObject(body)
  if (typeof answer?.text !== 'string') noTranscript()
  const words = (Array.isArray(answer.words) ? answer.words : [])
    .filter(isObject)
    .flatMap(({ text, start, end, type, speaker_id: speaker }) =>
      type === 'spacing' || typeof text !== 'string' || typeof start !== 'number' || typeof end !== 'number'
        ? []
        : [{ word: text, start, end, ...(typeof speaker === 'string' && { speaker }) }],
    )
  const { audio_duration_secs: whole, language_code: language } = answer
  const seconds = typeof whole === 'number' ? whole : words.at(-1)?.end
  const written = transcriptAnswer(
    { text: answer.text, words, seconds, ...(typeof language === 'string' && { language }) },
    question,
    asking,
  )
  return { ...written, losses: lossesIn([answer], known) }
}

/** A used up quota is a 401, and the message is in `detail`: an object, a text, or a list of errors in the body. */
function readError(status: number, headers: Headers, body: string): GatewayError {
  const detail = parseObject(body)?.detail
  const [first] = Array.isArray(detail) ? detail : [detail]
  const message = typeof first === 'string' ? first : isObject(first) ? (first.message ?? first.msg) : undefined
  const code = isObject(first) ? first.status : undefined
  const effective = code === 'quota_exceeded' ? 429 : status
  return readErrorOfOpenai(effective, headers, message === undefined ? body : JSON.stringify({ error: { message, code } }))
}

/** Writes requests for speech; the sound passes. */
export const elevenlabsSpeech: OperationUpstream<SpeechQuestion, Speech> = {
  style: 'elevenlabs',
  accept: '*/*',
  passes: true,
  writeQuestion: writeSpeech,
  readAnswer: noWhole,
  readError,
}

/** Writes forms and reads transcripts. */
export const elevenlabsTranscripts: OperationUpstream<TranscribeQuestion, string> = {
  style: 'elevenlabs',
  writeQuestion: writeTranscription,
  readAnswer: readTranscription,
  readError,
}
