/** The canonical response as a whole Chat answer, for a client that speaks it. */
import type { Pen } from '#canonical/codec'
import type { CallPart, Choice, ConversationRequest, ConversationResponse, MediaPart, NativePart, Part } from '#canonical/conversation'
import { type LossList, lossList } from '#canonical/loss'
import { writeDataUrl } from '../data-url.ts'
import type { Body } from '../fields.ts'
import { writeUsage } from '../usage.ts'
import { writeAnnotation } from './annotations.ts'
import { writeFinish } from './finish.ts'
import { writeLogprobs } from './logprobs.ts'
import { joined, writeDetails, writeExtraContent } from './reasoning.ts'

/** Ids of another form are replaced; the model is called what the client called it. */
export function writeResponse(response: ConversationResponse, asked: ConversationRequest, pen: Pen) {
  const losses = lossList()
  const body: Body = {
    id: writeId(response.id, pen),
    object: 'chat.completion',
    created: response.created,
    model: asked.model,
    choices: response.choices.map((choice) => writeChoice(choice, asked, pen, losses)),
    usage: writeUsage(response.usage),
    ...(response.tier !== undefined && { service_tier: response.tier }),
  }
  return { body: JSON.stringify(body), losses: losses.losses }
}

export const writeId = (id: string, pen: Pen) => (id.startsWith('chatcmpl-') ? id : pen.id('chatcmpl-'))

/** The client wrote `functions`, so it knows nothing of tool calls. */
export const isLegacy = (asked: ConversationRequest) => asked.extensions.chat?.functions !== undefined

function writeChoice(choice: Choice, asked: ConversationRequest, pen: Pen, losses: LossList): Body {
  const { index, parts, finish, logprobs } = choice
  const refusal = parts.some((part) => part.kind === 'refusal')
  const word = writeFinish(finish, { refusal })
  return {
    index,
    message: writeMessage(parts, asked, pen, losses),
    logprobs: writeLogprobs(logprobs),
    finish_reason: word === 'tool_calls' && isLegacy(asked) ? 'function_call' : word,
    ...(finish.reason === 'paused' && { native_finish_reason: finish.raw }),
  }
}

function writeMessage(parts: readonly Part[], asked: ConversationRequest, pen: Pen, losses: LossList): Body {
  const thoughts = parts.filter((part) => part.kind === 'reasoning')
  const calls = parts.filter((part) => part.kind === 'call')
  const refusal = parts
    .filter((part) => part.kind === 'refusal')
    .map((part) => part.text)
    .join('\n\n')
  const { content, annotations } = writeContent(parts, losses)
  const reasoning = joined(thoughts)
  const details = writeDetails(thoughts)
  const hasOther = calls.length > 0 || refusal !== ''
  return {
    role: 'assistant',
    content: content === '' && hasOther ? null : content,
    refusal: refusal === '' ? null : refusal,
    ...(annotations.length > 0 && { annotations }),
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(details && { reasoning_details: details }),
    ...writeMedia(parts, pen, losses),
    ...writeCalls(calls, asked, losses),
  }
}

/** All text of the answer in order; Chat has one content, before its calls. */
function writeContent(parts: readonly Part[], losses: LossList): { content: string; annotations: Body[] } {
  let content = ''
  const annotations: Body[] = []
  let sawCall = false
  for (const part of parts) {
    if (part.kind === 'call') sawCall = true
    const text = shown(part, losses)
    if (text === '') continue
    if (sawCall) movedText(losses)
    for (const citation of part.kind === 'text' ? (part.citations ?? []) : []) {
      const annotation = writeAnnotation(citation, content.length, text.length, losses)
      if (annotation) annotations.push(annotation)
    }
    content += text
  }
  return { content, annotations }
}

function shown(part: Part, losses: LossList): string {
  if (part.kind === 'text') return part.text
  return part.kind === 'native' ? nativeText(part, losses) : ''
}

export const movedText = (losses: LossList) => losses.adapted('response.order', 'Text after a tool call stands before it.')

/** What a block of another dialect amounts to. */
export function nativeText(part: Pick<NativePart, 'summary'>, losses: LossList): string {
  if (part.summary === undefined) losses.dropped('response.native', 'A block of the answer has no place in this dialect.')
  else losses.adapted('response.native', 'A block of the answer became text.')
  return part.summary ?? ''
}

function writeMedia(parts: readonly Part[], pen: Pen, losses: LossList): Body {
  const media = parts.filter((part) => part.kind === 'media')
  const images = media.flatMap((part) => (part.media === 'image' ? (writeImage(part) ?? []) : []))
  const spoken = media.find((part) => part.media === 'audio')
  const audio = spoken && 'data' in spoken.source ? spoken : undefined
  const lost = media.length - images.length - (audio ? 1 : 0)
  if (lost > 0) lostMedia(losses)
  return { ...(images.length > 0 && { images }), ...(audio && { audio: writeAudio(audio, pen) }) }
}

export const lostMedia = (losses: LossList) => losses.dropped('response.media', 'Media of the answer have no place in this dialect.')

export function writeImage({ source, mimeType = 'image/png' }: MediaPart): Body[] {
  const url = 'url' in source ? source.url : 'data' in source ? writeDataUrl(mimeType, source.data) : undefined
  return url === undefined ? [] : [{ type: 'image_url', image_url: { url } }]
}

/** How long the id of an audio answer may be sent back, in seconds; nothing is kept for it here. */
const audioSeconds = 3600

function writeAudio({ source, transcript = '' }: MediaPart, pen: Pen): Body {
  const data = 'data' in source ? source.data : ''
  return { id: pen.id('audio_'), data, expires_at: Math.floor(pen.now() / 1000) + audioSeconds, transcript }
}

function writeCalls(calls: readonly CallPart[], asked: ConversationRequest, losses: LossList): Body {
  const [first, ...others] = calls
  if (!first) return {}
  if (isLegacy(asked) && others.length > 0) lostCall(losses)
  if (isLegacy(asked)) return { function_call: { name: first.name, arguments: first.argsText || '{}' } }
  return { tool_calls: calls.map(writeCall) }
}

export const lostCall = (losses: LossList) => losses.dropped('response.call', 'A client that knows only functions is told one call.')

function writeCall({ callId, name, form, argsText, opaque }: CallPart): Body {
  const extra = writeExtraContent(opaque)
  if (form === 'text') return { id: callId, type: 'custom', custom: { name, input: argsText }, ...extra }
  // A tool without arguments may come as no text at all, which no JSON parser takes.
  return { id: callId, type: 'function', function: { name, arguments: argsText === '' ? '{}' : argsText }, ...extra }
}
