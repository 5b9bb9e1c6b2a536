/** A whole answer for a client of this dialect. */
import type { CodecContext } from '#canonical/codec'
import type {
  Choice,
  ConversationRequest,
  ConversationResponse,
  MediaPart,
  NativePart,
  Part,
  RefusalPart,
  TextPart,
} from '#canonical/conversation'
import type { Loss, LossList } from '#canonical/loss'
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
import { isObject } from '#shared/json'
import { writeAnnotation } from './citations.ts'
import { writeFinish } from './finish.ts'
import {
  callItem,
  echoOf,
  type Item,
  idPrefix,
  imageItem,
  messageItem,
  reasoningItem,
  refusalContent,
  responseObject,
  shownForm,
  textContent,
  wholeArguments,
} from './response-write-items.ts'

/** What writing an answer needs. */
interface ResponseWriting {
  asked: ConversationRequest
  codecContext: CodecContext
  losses: LossList
}

/** The model has the client's name for it. */
type Answer = WrittenFields<
  ConversationResponse,
  { id: 'written'; created: 'written'; choices: 'written'; usage: 'written'; tier: 'written'; model: 'notNeeded' }
>

/** The dialect has one answer: others are lost, which is recorded. */
export function writeResponse(
  response: Answer,
  asked: ConversationRequest,
  codecContext: CodecContext,
): { body: string; losses: readonly Loss[] } {
  const losses = lossList()
  if (response.choices.length > 1) lostAnswer(losses)
  const [choice] = response.choices
  const refusal = choice?.parts.some(({ kind }) => kind === 'refusal') === true
  const ending = writeFinish(choice?.finish.reason ?? 'stop', { refusal })
  const object = responseObject(echoOf(asked), {
    id: responseId(response.id, codecContext),
    created: response.created,
    status: ending.status,
    ...(ending.status === 'completed' && { completedAt: Math.floor(codecContext.now() / 1000) }),
    ...(ending.status === 'failed' && { error: failedCall }),
    incomplete: ending.incomplete_details,
    output: [],
    ...(choice && writeFields(choice, choiceWriters, { asked, codecContext, losses, isCut: ending.status === 'incomplete' })),
    usage: response.usage,
    tier: response.tier,
  })
  return { body: JSON.stringify(object), losses: losses.losses }
}

/** Records that answers beyond the first were dropped. */
export const lostAnswer = (losses: LossList) => losses.dropped('response.choices', 'A response holds one answer.')
/** Records that a citation was dropped. */
export const lostSource = (losses: LossList) => losses.leftOut('response.citations', 'Places in a document cannot be cited here.')
/** Records that a native block was dropped. */
export const lostBlock = (losses: LossList) => losses.dropped('response.native', 'Blocks of another vendor have no place in this dialect.')

/** Pictures are items; of other media only a transcript can be written. */
export function noteMedia(
  media: MediaPart['media'],
  { hasData, isSpoken }: { hasData: boolean; isSpoken: boolean },
  losses: LossList,
): void {
  if (media === 'image' ? hasData : isSpoken) {
    if (media !== 'image') losses.adapted('response.media', 'Audio became its transcript.')
  } else losses.dropped('response.media', 'Answers of this dialect cannot contain such media.')
}

/** The error of a response with a malformed call. */
export const failedCall = { code: 'server_error', message: 'The model wrote a call of a tool that cannot be understood.' }

/** An id of the upstream is kept if it has the form of this dialect. */
export const responseId = (id: string, codecContext: CodecContext) => (/^resp_[\w-]{1,120}$/.test(id) ? id : codecContext.id('resp_'))

/** The items so far. */
interface Draft extends ResponseWriting {
  items: Item[]
  /** Of the whole answer: they are written with its first text. */
  logprobs: NonNullable<Choice['logprobs']>
}

const choiceWriters: FieldWriters<Choice, ResponseWriting & { isCut: boolean }> = {
  parts: (parts, { isCut, ...telling }, { logprobs = [] }) => ({ output: writeOutput(parts, isCut, { ...telling, logprobs, items: [] }) }),
  logprobs: writtenElsewhere,
  // Written on the response.
  finish: writtenElsewhere,
  // The dialect has one answer.
  index: notNeeded,
}

function writeOutput(parts: readonly Part[], isCut: boolean, draft: Draft): Item[] {
  for (const part of parts) writeKind(part, partWriters, draft)
  const last = draft.items.at(-1)
  // An item of another kind stays as its vendor gave it.
  if (last && isCut && parts.at(-1)?.kind !== 'native' && 'status' in last) last.status = 'incomplete'
  return draft.items
}

/** Only requests have breakpoints, and state of a text is another vendor's. */
type Text = WrittenFields<TextPart, { text: 'written'; phase: 'written'; citations: 'written'; cache: 'notNeeded'; opaque: 'notNeeded' }>
type Refusal = WrittenFields<RefusalPart, { text: 'written' }>
/** State of a block is in `raw`, and a block of another vendor is lost whole. */
type Native = WrittenFields<NativePart, { dialect: 'written'; raw: 'written'; summary: 'notNeeded'; opaque: 'notNeeded' }>
type Media = WrittenFields<
  MediaPart,
  {
    media: 'written'
    source: 'written'
    mimeType: 'written'
    transcript: 'written'
    // State of media is another vendor's.
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

const partWriters: KindWriters<Part, Draft, void> = {
  text: (part: Text, draft) => {
    say(writeText(part, draft), part.phase, draft)
    draft.logprobs = []
  },
  refusal: ({ text }: Refusal, draft) => say(refusalContent(text), undefined, draft),
  media: (part: Media, draft) => {
    const { media, source, transcript = '' } = part
    noteMedia(media, { hasData: 'data' in source, isSpoken: transcript !== '' }, draft.losses)
    if (media !== 'image' && transcript !== '') say(textContent(transcript), undefined, draft)
    else draft.items.push(...writeImage(part, draft.codecContext))
  },
  reasoning: (part, { items, codecContext, asked }) => {
    items.push(reasoningItem(codecContext.id(idPrefix.reasoning), { ...part, form: shownForm(part.form, asked) }))
  },
  call: (part, { items, codecContext }) => {
    items.push(callItem(codecContext.id(idPrefix[part.form]), 'completed', { ...part, argsText: wholeArguments(part.form, part.argsText) }))
  },
  native: (part: Native, { items, losses }) => {
    if (part.dialect === 'responses' && isObject(part.raw)) items.push(part.raw)
    else lostBlock(losses)
  },
  // Results are what clients send.
  result: () => undefined,
}

function writeText(part: Text, { losses, logprobs }: Draft): Item {
  const { citations = [] } = part
  if (citations.some((citation) => writeAnnotation(citation, 0) === undefined)) lostSource(losses)
  return textContent(part.text, citations, logprobs)
}

/** Consecutive content is one message. */
function say(content: Item, phase: TextPart['phase'], { items, codecContext }: Draft): void {
  const last = items.at(-1)
  if (last?.type === 'message' && last.phase === phase && Array.isArray(last.content)) last.content.push(content)
  else items.push(messageItem(codecContext.id(idPrefix.message), 'completed', [content], phase))
}

function writeImage({ media, source, mimeType }: Media, codecContext: CodecContext): Item[] {
  return media === 'image' && 'data' in source ? [imageItem(codecContext.id(idPrefix.image), 'failed', source.data, mimeType)] : []
}
