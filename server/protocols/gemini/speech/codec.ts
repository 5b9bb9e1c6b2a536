/**
 * Speech by generateContent. Older models return raw samples (`audio/L16;codec=pcm;rate=24000`), newer ones WAV; none returns MP3. Read:
 * https://ai.google.dev/gemini-api/docs/speech-generation.
 */
import type { Loss } from '#canonical/loss'
import type { OperationHead, OperationUpstream, ReadOperation } from '#canonical/operation/operation'
import { type Speech, type SpeechQuestion, unknownFields } from '#canonical/operation/speech'
import { noUsage } from '#canonical/usage'
import { GatewayError } from '#shared/errors'
import { readError } from '../error.ts'
import { blockOf, parseAnswer, partsOf } from '../generate-content/response-meter.ts'
import { lossesBesideMedia } from '../media-answer.ts'
import { type Body, pick, pickObject, pickObjects, pickText } from '../proto-json.ts'
import { nothingDelivered, readUsage } from '../usage.ts'
import { samplesIn, waveOf } from './wave.ts'

const instead: Loss = {
  field: 'response_format',
  what: 'adapted',
  reason: 'This upstream makes no MP3: the answer is WAV, as its content type says.',
  meaning: true,
}

const isRaw = ({ format }: SpeechQuestion) => format === 'pcm'

function writeQuestion(question: SpeechQuestion) {
  const { text, voice, instructions, format } = question
  if (format !== undefined && format !== 'wav' && format !== 'pcm')
    throw new GatewayError('unsupported_value', 'This upstream makes wav and pcm.', { param: 'response_format' })
  const voiceConfig = { prebuiltVoiceConfig: { voiceName: voice } }
  const body = {
    contents: [{ role: 'user', parts: [{ text: instructions ? `${instructions}\n\n${text}` : text }] }],
    generationConfig: { responseModalities: ['AUDIO'], ...(voice !== undefined && { speechConfig: { voiceConfig } }) },
  }
  const losses = [...unknownFields(question, ['instructions']), ...(format === undefined ? [instead] : [])]
  return { requests: [{ body }] as [{ body: typeof body }], losses }
}

interface Part {
  mimeType: string
  data: Uint8Array
}

function soundIn(part: Body): Part[] {
  const inline = pickObject(part, 'inlineData')
  const mimeType = inline && pickText(inline, 'mimeType')
  const data = inline && pickText(inline, 'data')
  return data && mimeType?.startsWith('audio/') ? [{ mimeType, data: Buffer.from(data, 'base64') }] : []
}

/** Throws `upstream_rejected` if there is no audio. */
function readAnswer([text = '']: readonly string[], question: SpeechQuestion, asked?: OperationHead): ReadOperation<Speech> {
  const answer = parseAnswer(text)
  const parts = pickObjects(answer, 'candidates').flatMap((candidate) => partsOf(candidate).flatMap(soundIn))
  const [first] = parts
  if (!first) throw silence(answer)
  const { samples, rate } = samplesIn(first.mimeType, Buffer.concat(parts.map(({ data }) => data)))
  const usage = readUsage(pick(answer, 'usageMetadata'), nothingDelivered())?.usage ?? { ...noUsage(), provenance: 'estimated' as const }
  usage.units.seconds = samples.length / 2 / rate
  usage.units.characters = asked?.most.units.characters ?? 0
  return { answer: { sound: isRaw(question) ? samples : waveOf(samples, rate) }, usage, losses: lossesBesideMedia(answer) }
}

const silence = (answer: Body) =>
  blockOf(answer) === undefined
    ? new GatewayError('upstream_rejected', 'The model answered without audio.')
    : new GatewayError('upstream_rejected', 'The upstream refused this text for reasons of safety.', { publicCode: 'moderation_blocked' })

/** Writes requests for Gemini's speech models, and reads their audio. */
export const geminiSpeech: OperationUpstream<SpeechQuestion, Speech> = {
  style: 'gemini',
  writeQuestion,
  madeType: (question) => (isRaw(question) ? 'audio/pcm' : 'audio/wav'),
  readAnswer,
  readError,
}
