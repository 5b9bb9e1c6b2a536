/** The canonical response as a whole Chat answer. */
import type { CodecContext } from '#canonical/codec'
import type {
  CallPart,
  Choice,
  ConversationRequest,
  ConversationResponse,
  MediaPart,
  NativePart,
  Part,
  ReasoningPart,
  RefusalPart,
  TextPart,
} from '#canonical/conversation'
import type { LossList } from '#canonical/loss'
import {
  type FieldWriters,
  type KindWriters,
  lossList,
  notNeeded,
  type WrittenFields,
  writeFields,
  writeKind,
  writtenElsewhere,
} from '#protocols/codec/field-writers'
import { writeDataUrl } from '../data-url.ts'
import type { Body } from '../fields.ts'
import { writeUsage } from '../usage.ts'
import { writeAnnotation } from './citations.ts'
import { type Ended, writeFinish } from './finish.ts'
import { writeLogprobs } from './logprobs.ts'
import { joined, writeDetails, writeExtraContent } from './reasoning.ts'

/** What writing an answer needs. */
interface Writing {
  asked: ConversationRequest
  codecContext: CodecContext
  losses: LossList
}

/** Ids of another form are replaced; the model has the client's name for it. */
export function writeResponse(response: ConversationResponse, asked: ConversationRequest, codecContext: CodecContext) {
  const losses = lossList()
  const body = writeFields(response, responseWriters, { asked, codecContext, losses })
  return { body: JSON.stringify(body), losses: losses.losses }
}

const responseWriters: FieldWriters<ConversationResponse, Writing> = {
  id: (id, { codecContext }) => ({ id: writeId(id, codecContext), object: 'chat.completion' }),
  created: (created) => ({ created }),
  model: (_, { asked }) => ({ model: asked.model }),
  choices: (choices, writing) => ({ choices: choices.map((choice) => writeFields(choice, choiceWriters, writing)) }),
  usage: (usage) => ({ usage: writeUsage(usage) }),
  tier: (service_tier) => ({ service_tier }),
}

/** An id of this dialect as it is, else a fresh one. */
export const writeId = (id: string, codecContext: CodecContext) => (id.startsWith('chatcmpl-') ? id : codecContext.id('chatcmpl-'))

/** True for a client that sent `functions`, and so does not support tool calls. */
export const isLegacy = (asked: ConversationRequest) => asked.extensions.chat?.functions !== undefined

const choiceWriters: FieldWriters<Choice, Writing> = {
  index: (index) => ({ index }),
  // The client expects the field even if it is empty.
  parts: (parts, writing, { logprobs }) => ({ message: writeMessage(parts, writing), logprobs: writeLogprobs(logprobs) }),
  logprobs: writtenElsewhere,
  finish: (finish: Ended, { asked }, { parts }) => {
    const word = writeFinish(finish, { refusal: parts.some((part) => part.kind === 'refusal') })
    return {
      finish_reason: word === 'tool_calls' && isLegacy(asked) ? 'function_call' : word,
      ...(finish.reason === 'paused' && { native_finish_reason: finish.raw }),
    }
  },
}

/** A message in the making. */
interface Draft extends Writing {
  content: string
  annotations: Body[]
  refusals: string[]
  thoughts: ReasoningPart[]
  images: Body[]
  audio: Body | undefined
  calls: CallPart[]
}

function writeMessage(parts: readonly Part[], writing: Writing): Body {
  const draft: Draft = { ...writing, content: '', annotations: [], refusals: [], thoughts: [], images: [], audio: undefined, calls: [] }
  for (const part of parts) writeKind(part, partWriters, draft)
  const { content, annotations, thoughts, images, audio, calls } = draft
  const refusal = draft.refusals.join('\n\n')
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
    ...(images.length > 0 && { images }),
    ...(audio && { audio }),
    ...writeCalls(calls, writing),
  }
}

const partWriters: KindWriters<Part, Draft, void> = {
  text: (part, draft) => {
    writeFields(part, textWriters, draft)
  },
  native: (part, draft) => addText(nativeText(part, draft.losses), draft),
  refusal: ({ text }: WrittenFields<RefusalPart, { text: 'written' }>, draft) => draft.refusals.push(text),
  reasoning: (part, draft) => draft.thoughts.push(part),
  media: addMedia,
  call: (part, draft) => draft.calls.push(part),
  // Results are what clients send.
  result: () => undefined,
}

/** Chat has one content: every text adds to it. */
const textWriters: FieldWriters<TextPart, Draft> = {
  citations: (citations, { content, annotations, losses }, { text }) => {
    for (const citation of text === '' ? [] : citations) {
      const annotation = writeAnnotation(citation, content.length, text.length, losses)
      if (annotation) annotations.push(annotation)
    }
    return undefined
  },
  text: (text, draft) => {
    addText(text, draft)
    return undefined
  },
  // Answers of this dialect have no phases, no state on texts and no cache marks.
  phase: notNeeded,
  opaque: notNeeded,
  cache: notNeeded,
}

function addText(text: string, draft: Draft): void {
  if (text === '') return
  if (draft.calls.length > 0) movedText(draft.losses)
  draft.content += text
}

/** Records that text after a tool call was moved before it. */
export const movedText = (losses: LossList) => losses.adapted('response.order', 'Text after a tool call was moved before it.')

/** Answers of this dialect have no blocks of their own. */
type Native = WrittenFields<Omit<NativePart, 'kind'>, { summary: 'written'; dialect: 'notNeeded'; raw: 'notNeeded'; opaque: 'notNeeded' }>

/** The text for a block of another dialect. */
export function nativeText(part: Native, losses: LossList): string {
  if (part.summary === undefined) losses.dropped('response.native', 'A block of the answer has no place in this dialect.')
  else losses.adapted('response.native', 'A block of the answer became text.')
  return part.summary ?? ''
}

type Media = WrittenFields<
  MediaPart,
  {
    media: 'written'
    source: 'written'
    mimeType: 'written'
    transcript: 'written'
    // Clients of this dialect cannot send state of media back.
    opaque: 'notNeeded'
    // Only requests have these.
    name: 'notNeeded'
    title: 'notNeeded'
    detail: 'notNeeded'
    cache: 'notNeeded'
    extra: 'notNeeded'
    path: 'notNeeded'
  }
>

/** Any number of images, and the first sound. */
function addMedia(part: Media, draft: Draft): void {
  const images = part.media === 'image' ? writeImage(part) : []
  draft.images.push(...images)
  if (images.length > 0) return
  if (part.media === 'audio' && 'data' in part.source && !draft.audio) draft.audio = writeAudio(part, draft.codecContext)
  else lostMedia(draft.losses)
}

/** Records that media of the answer were dropped. */
export const lostMedia = (losses: LossList) => losses.dropped('response.media', 'Media of the answer have no place in this dialect.')

/** An image as an entry of `images`; none for a source that has no address and no data. */
export function writeImage({ source, mimeType = 'image/png' }: Media): Body[] {
  const url = 'url' in source ? source.url : 'data' in source ? writeDataUrl(mimeType, source.data) : undefined
  return url === undefined ? [] : [{ type: 'image_url', image_url: { url } }]
}

/** How long the id of an audio answer is valid, in seconds; nothing is stored for it here. */
const audioSeconds = 3600

function writeAudio({ source, transcript = '' }: Media, codecContext: CodecContext): Body {
  const data = 'data' in source ? source.data : ''
  return { id: codecContext.id('audio_'), data, expires_at: Math.floor(codecContext.now() / 1000) + audioSeconds, transcript }
}

function writeCalls(calls: readonly CallPart[], { asked, losses }: Writing): Body {
  const [first, ...others] = calls
  if (!first) return {}
  if (isLegacy(asked) && others.length > 0) lostCall(losses)
  if (isLegacy(asked)) return { function_call: { name: first.name, arguments: first.argsText || '{}' } }
  return { tool_calls: calls.map((call) => writeFields(call, callWriters, undefined)) }
}

/** Records that a client of `functions` got the first of several calls. */
export const lostCall = (losses: LossList) => losses.dropped('response.call', 'A client that only supports functions gets one call.')

const callWriters: FieldWriters<CallPart, undefined> = {
  callId: (id) => ({ id }),
  form: (form, _, { name, argsText }) => {
    if (form === 'text') return { type: 'custom', custom: { name, input: argsText } }
    // A call without arguments may have an empty text, which is not valid JSON.
    return { type: 'function', function: { name, arguments: argsText === '' ? '{}' : argsText } }
  },
  name: writtenElsewhere,
  argsText: writtenElsewhere,
  opaque: (opaque) => writeExtraContent(opaque),
  // This dialect has no namespaces.
  namespace: notNeeded,
  path: notNeeded,
}
