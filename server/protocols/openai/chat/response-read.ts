/** A whole Chat answer as the canonical response. Tolerant: missing or odd fields are left out and never cause an exception. */
import type { CodecContext, Memo, ReadResponse } from '#canonical/codec'
import type { CallPart, Choice, Citation, MediaPart, Part, TextPart } from '#canonical/conversation'
import { nothingDelivered, settled } from '#canonical/delivered'
import { type Fields, readBody } from '#protocols/codec/fields'
import { clientName } from '#protocols/codec/tool-names'
import { unwrapInput } from '#protocols/codec/wrapped-tool'
import { GatewayError } from '#shared/errors'
import { exactCall, keepDigits, keepFloats } from '#shared/exact-numbers'
import { isObject } from '#shared/json'
import type { ChatAnswer, ChatAnswerMessage, ChatChoice, ChatToolCall } from '#shared/protocols/openai/chat'
import { indexOf, readAnswer, readChoices, readOrigin, unplaced } from '../answer.ts'
import { measureMessage } from '../choice.ts'
import { readDataUrl } from '../data-url.ts'
import { readUsage } from '../usage.ts'
import { readAnnotations, readSources } from './citations.ts'
import { isFailure, readFinish } from './finish.ts'
import { readLogprobs } from './logprobs.ts'
import { readExtraContent, readReasoning } from './reasoning.ts'

/** Throws GatewayError `upstream_error` when the body is not an answer or reports a failure. */
export function readResponse(body: string, memo: Memo, codecContext: CodecContext): ReadResponse {
  const answer = readAnswer(body)
  keepDigits(body, answer)
  if (body.includes('"tool_calls"')) keepFloats(body, answer)
  const delivered = nothingDelivered()
  for (const choice of readChoices(answer)) measureMessage(choice, delivered)
  const { fields, unread } = readBody<ChatAnswer>(answer)
  const tier = fields.textIf('service_tier')
  fields.ignore(...bookkeeping)
  const sources = readSources({ search_results: fields.json('search_results'), citations: fields.json('citations') })
  const response = {
    ...readOrigin(answer, 'chatcmpl-', codecContext),
    choices: fields.objectsIf('choices').map((choice, position) => withSources(readChoice(choice, position, memo, codecContext), sources)),
    usage: settled(readUsage(fields.json('usage'), delivered), delivered, { inputBytes: 0, isOver: true }),
    ...(tier !== undefined && { tier }),
  }
  return { ...response, ...unplaced(unread(), answer.usage) }
}

/** Metadata of an answer, and fields that only its upstream can use. */
const bookkeeping = ['id', 'object', 'created', 'model', 'system_fingerprint', 'provider'] as const

function readChoice(choice: Fields<ChatChoice>, position: number, memo: Memo, codecContext: CodecContext): Choice {
  const raw = choice.json('finish_reason')
  if (isFailure(raw)) throw new GatewayError('upstream_error', 'The upstream failed to finish its answer. Try again shortly.')
  // The original value of `finish_reason`.
  choice.ignore('native_finish_reason')
  const message = choice.objectIf('message')
  const parts = message ? readMessage(message, memo, codecContext) : []
  const logprobs = readLogprobs(choice.json('logprobs'))
  const seen = { call: parts.some((part) => part.kind === 'call'), refusal: parts.some((part) => part.kind === 'refusal') }
  return {
    index: indexOf({ index: choice.json('index') }, position),
    parts,
    finish: readFinish(typeof raw === 'string' ? raw : '', seen),
    ...(logprobs.length > 0 && { logprobs }),
  }
}

/** Sources belong to the whole answer, so they are added to its last text; markers in the text count them from one. */
function withSources(choice: Choice, sources: Citation[]): Choice {
  const last = choice.parts.findLastIndex(({ kind }) => kind === 'text')
  if (sources.length === 0 || last < 0) return choice
  const parts = choice.parts.map((part, at) =>
    part.kind === 'text' && at === last ? { ...part, citations: [...(part.citations ?? []), ...sources] } : part,
  )
  return { ...choice, parts }
}

function readMessage(message: Fields<ChatAnswerMessage>, memo: Memo, codecContext: CodecContext): Part[] {
  message.ignore('role')
  const reasoning = readReasoning({
    reasoning_content: message.json('reasoning_content'),
    reasoning: message.json('reasoning'),
    reasoning_details: message.json('reasoning_details'),
    content: message.json('content'),
  })
  const text = readText(message)
  const citations = readAnnotations(message.json('annotations'))
  const said: TextPart[] = text === '' ? [] : [{ kind: 'text', text, ...(citations.length > 0 && { citations }) }]
  const refusal = message.textIf('refusal')
  return [
    ...(reasoning ? [reasoning] : []),
    ...said,
    ...(refusal ? [{ kind: 'refusal' as const, text: refusal }] : []),
    ...readImages(message.json('images')),
    ...readAudio(message),
    ...readCalls(message, memo, codecContext),
  ]
}

/** All text of the content; parts of another kind stay unread. */
function readText(message: Fields<ChatAnswerMessage>): string {
  if (message.kind('content') !== 'list') return message.textIf('content') ?? ''
  const parts = message.objectsIf('content').map((part) => part.as<{ type?: unknown; text?: string; thinking?: unknown }>())
  return parts
    .map((part) => {
      if (part.json('type') === 'thinking') part.ignore('thinking')
      return part.textIf('text') ?? ''
    })
    .join('')
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

/** The format that converted requests ask for: 16-bit samples at 24 kHz. */
export const audioType = 'audio/pcm;rate=24000'

function readAudio(message: Fields<ChatAnswerMessage>): MediaPart[] {
  const audio = message.objectIf('audio')
  const data = audio?.textIf('data')
  const transcript = audio?.textIf('transcript')
  // The upstream stores the audio under its id for a while.
  audio?.ignore('id', 'expires_at')
  if (!data) return []
  return [{ kind: 'media', media: 'audio', source: { data }, mimeType: audioType, ...(transcript && { transcript }) }]
}

function readCalls(message: Fields<ChatAnswerMessage>, memo: Memo, codecContext: CodecContext): CallPart[] {
  const legacy = message.objectIf('function_call')
  const calls = message.objectsIf('tool_calls').map((call) => readCall(call, memo, codecContext))
  return [...calls, legacy && callOf(legacy, () => codecContext.id('call_'), memo)].filter((call) => call !== undefined)
}

function readCall(call: Fields<ChatToolCall>, memo: Memo, codecContext: CodecContext): CallPart | undefined {
  // Its fields imply its type, and its position the index.
  call.ignore('type', 'index')
  const id = call.textIf('id')
  const opaque = readExtraContent(call.json('extra_content'))
  const custom = call.objectIf('custom')
  const called = custom ?? call.objectIf('function')
  const part = called && callOf(called, () => id || codecContext.id('call_'), memo, custom !== undefined)
  return part && opaque.length > 0 ? { ...part, opaque } : part
}

/** Undefined for a call without a name. */
function callOf(
  called: Fields<{ name?: unknown; arguments?: unknown; input?: unknown }>,
  callId: () => string,
  memo: Memo,
  isCustom = false,
) {
  const name = called.textIf('name')
  const args = argsOf(called.json(isCustom ? 'input' : 'arguments'))
  if (!name) return undefined
  const named = clientName(memo, name)
  const isWrapped = !isCustom && memo.wrappedTools.includes(named.name)
  const form: CallPart['form'] = isCustom || isWrapped ? 'text' : 'json'
  return { kind: 'call' as const, callId: callId(), ...named, form, argsText: isWrapped ? unwrapInput(args) : args }
}

/** Some servers send the arguments as an object; one that nests too deep to be written is none. */
export function argsOf(args: unknown): string {
  if (!isObject(args)) return typeof args === 'string' ? args : ''
  try {
    return JSON.stringify(exactCall(args))
  } catch {
    return ''
  }
}
