/** A whole Chat answer as the canonical response. Tolerant: what is missing or strange is left out, never an exception. */
import type { CodecContext, Memo } from '#canonical/codec'
import type { CallPart, Choice, ConversationResponse, MediaPart, Part, TextPart } from '#canonical/conversation'
import { nothingDelivered, settled } from '#canonical/delivered'
import { clientName } from '#canonical/tool-names'
import { unwrapInput } from '#canonical/wrapped-tool'
import { GatewayError } from '#shared/errors'
import { isObject } from '#wire/json-scan'
import { indexOf, readAnswer, readChoices, readOrigin } from '../answer.ts'
import { measureMessage } from '../choice.ts'
import { readDataUrl } from '../data-url.ts'
import type { Body } from '../fields.ts'
import { readUsage } from '../usage.ts'
import { readAnnotations } from './citations.ts'
import { isFailure, readFinish } from './finish.ts'
import { readLogprobs } from './logprobs.ts'
import { readExtraContent, readReasoning } from './reasoning.ts'

/** Throws GatewayError `upstream_error` when the body is no answer, or tells of a failure. */
export function readResponse(body: string, memo: Memo, codecContext: CodecContext): ConversationResponse {
  const answer = readAnswer(body)
  const choices = readChoices(answer)
  const delivered = nothingDelivered()
  for (const choice of choices) measureMessage(choice, delivered)
  return {
    ...readOrigin(answer, 'chatcmpl-', codecContext),
    choices: choices.map((choice, position) => readChoice(choice, position, memo, codecContext)),
    usage: settled(readUsage(answer.usage, delivered), delivered, { inputBytes: 0, isOver: true }),
    ...(typeof answer.service_tier === 'string' && { tier: answer.service_tier }),
  }
}

function readChoice(choice: Body, position: number, memo: Memo, codecContext: CodecContext): Choice {
  const raw = choice.finish_reason
  if (isFailure(raw)) throw new GatewayError('upstream_error', 'The upstream failed to finish its answer. Try again shortly.')
  const parts = readMessage(isObject(choice.message) ? choice.message : {}, memo, codecContext)
  const logprobs = readLogprobs(choice.logprobs)
  const seen = { call: parts.some((part) => part.kind === 'call'), refusal: parts.some((part) => part.kind === 'refusal') }
  return {
    index: indexOf(choice, position),
    parts,
    finish: readFinish(typeof raw === 'string' ? raw : '', seen),
    ...(logprobs.length > 0 && { logprobs }),
  }
}

function readMessage(message: Body, memo: Memo, codecContext: CodecContext): Part[] {
  const reasoning = readReasoning(message)
  const text = textOf(message.content)
  const citations = readAnnotations(message.annotations)
  const said: TextPart[] = text === '' ? [] : [{ kind: 'text', text, ...(citations.length > 0 && { citations }) }]
  const { refusal } = message
  return [
    ...(reasoning ? [reasoning] : []),
    ...said,
    ...(typeof refusal === 'string' && refusal !== '' ? [{ kind: 'refusal' as const, text: refusal }] : []),
    ...readImages(message.images),
    ...readAudio(message.audio),
    ...readCalls(message, memo, codecContext),
  ]
}

/** The text of a content that is text or a list of parts. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part) => (isObject(part) && typeof part.text === 'string' ? part.text : '')).join('')
}

/** Images of a model, where several vendors put them. */
export function readImages(images: unknown): MediaPart[] {
  if (!Array.isArray(images)) return []
  return images.flatMap((image): MediaPart[] => {
    const url = isObject(image) && isObject(image.image_url) ? image.image_url.url : undefined
    if (typeof url !== 'string' || url === '') return []
    const embedded = readDataUrl(url)
    if (!embedded) return [{ kind: 'media', media: 'image', source: { url } }]
    return [{ kind: 'media', media: 'image', source: { data: embedded.data }, mimeType: embedded.mimeType }]
  })
}

/** What a converted request asks for: samples of 16 bits, 24,000 a second. */
export const audioType = 'audio/pcm;rate=24000'

function readAudio(audio: unknown): MediaPart[] {
  if (!isObject(audio) || typeof audio.data !== 'string' || audio.data === '') return []
  const { transcript } = audio
  const part: MediaPart = { kind: 'media', media: 'audio', source: { data: audio.data }, mimeType: audioType }
  return [typeof transcript === 'string' && transcript !== '' ? { ...part, transcript } : part]
}

function readCalls(message: Body, memo: Memo, codecContext: CodecContext): CallPart[] {
  const calls: unknown[] = Array.isArray(message.tool_calls) ? message.tool_calls : []
  const legacy = isObject(message.function_call) ? [{ function: message.function_call }] : []
  return [...calls, ...legacy].filter(isObject).flatMap((call) => readCall(call, memo, codecContext) ?? [])
}

function readCall(call: Body, memo: Memo, codecContext: CodecContext): CallPart | undefined {
  const isCustom = isObject(call.custom)
  const fields: Body = isObject(call.custom) ? call.custom : isObject(call.function) ? call.function : {}
  if (typeof fields.name !== 'string' || fields.name === '') return undefined
  const named = clientName(memo, fields.name)
  const args = argsOf(isCustom ? fields.input : fields.arguments)
  const isWrapped = !isCustom && memo.wrappedTools.includes(named.name)
  const opaque = readExtraContent(call.extra_content)
  return {
    kind: 'call',
    callId: typeof call.id === 'string' && call.id !== '' ? call.id : codecContext.id('call_'),
    ...named,
    form: isCustom || isWrapped ? 'text' : 'json',
    argsText: isWrapped ? unwrapInput(args) : args,
    ...(opaque.length > 0 && { opaque }),
  }
}

/** Some servers send the arguments as an object; one that nests too deep to be written is none. */
export function argsOf(args: unknown): string {
  if (!isObject(args)) return typeof args === 'string' ? args : ''
  try {
    return JSON.stringify(args)
  } catch {
    return ''
  }
}
