/** A whole answer for a client that speaks this dialect. */
import type { Pen } from '#canonical/codec'
import type { Choice, ConversationRequest, ConversationResponse, MediaPart, Part, TextPart } from '#canonical/conversation'
import { type Loss, type LossList, lossList } from '#canonical/loss'
import { isObject } from '#wire/json-scan'
import { writeAnnotation } from './citations.ts'
import { writeFinish } from './finish.ts'
import {
  callItem,
  type Item,
  idPrefix,
  imageItem,
  messageItem,
  reasoningItem,
  refusalContent,
  shownForm,
  textContent,
  wholeArguments,
} from './items.ts'
import { echoOf, responseObject } from './object.ts'

/** What telling an answer needs. */
interface Telling {
  asked: ConversationRequest
  pen: Pen
  losses: LossList
}

/** The dialect gives one answer: others are lost, and recorded. */
export function writeResponse(
  response: ConversationResponse,
  asked: ConversationRequest,
  pen: Pen,
): { body: string; losses: readonly Loss[] } {
  const losses = lossList()
  if (response.choices.length > 1) lostAnswer(losses)
  const [choice] = response.choices
  const refusal = choice?.parts.some(({ kind }) => kind === 'refusal') === true
  const ending = writeFinish(choice?.finish.reason ?? 'stop', { refusal })
  const object = responseObject(echoOf(asked), {
    id: responseId(response.id, pen),
    created: response.created,
    status: ending.status,
    ...(ending.status === 'completed' && { completedAt: Math.floor(pen.now() / 1000) }),
    ...(ending.status === 'failed' && { error: failedCall }),
    incomplete: ending.incomplete_details,
    output: choice ? writeOutput(choice, ending.status === 'incomplete', { asked, pen, losses }) : [],
    usage: response.usage,
    tier: response.tier,
  })
  return { body: JSON.stringify(object), losses: losses.losses }
}

export const lostAnswer = (losses: LossList) => losses.dropped('response.choices', 'A response holds one answer.')
export const lostSource = (losses: LossList) => losses.forgotten('response.citations', 'Places in a document cannot be cited here.')
export const lostBlock = (losses: LossList) => losses.dropped('response.native', 'Blocks of another vendor have no place in this dialect.')

/** Pictures are items; of everything else only what was spoken can be told. */
export function noteMedia(
  media: MediaPart['media'],
  { hasData, isSpoken }: { hasData: boolean; isSpoken: boolean },
  losses: LossList,
): void {
  if (media === 'image' ? hasData : isSpoken) {
    if (media !== 'image') losses.adapted('response.media', 'What was spoken is told by its transcript.')
  } else losses.dropped('response.media', 'An answer of this dialect holds no such media.')
}

/** What a response says whose model could not form a call. */
export const failedCall = { code: 'server_error', message: 'The model wrote a call of a tool that cannot be understood.' }

/** An id of the upstream is kept where it has the form of this dialect. */
export const responseId = (id: string, pen: Pen) => (/^resp_[\w-]{1,120}$/.test(id) ? id : pen.id('resp_'))

function writeOutput({ parts, logprobs = [] }: Choice, isCut: boolean, telling: Telling): Item[] {
  const items: Item[] = []
  let rest = logprobs
  for (const part of parts) {
    const content = said(part, rest, telling.losses)
    if (part.kind === 'text') rest = []
    if (content) say(content, part.kind === 'text' ? part.phase : undefined, items, telling.pen)
    else items.push(...writeItem(part, telling))
  }
  const last = items.at(-1)
  // An item of another kind stays as its vendor gave it.
  if (last && isCut && parts.at(-1)?.kind !== 'native' && 'status' in last) last.status = 'incomplete'
  return items
}

/** What belongs into a message. Logprobs are of the whole answer, and stand with its first text. */
function said(part: Part, logprobs: Choice['logprobs'], losses: LossList): Item | undefined {
  if (part.kind === 'text') return textContent(part.text, shown(part, losses), logprobs)
  if (part.kind === 'refusal') return refusalContent(part.text)
  if (part.kind !== 'media') return undefined
  const { media, source, transcript = '' } = part
  noteMedia(media, { hasData: 'data' in source, isSpoken: transcript !== '' }, losses)
  return media === 'image' || transcript === '' ? undefined : textContent(transcript)
}

function shown({ citations = [] }: TextPart, losses: LossList) {
  if (citations.some((citation) => writeAnnotation(citation, 0) === undefined)) {
    lostSource(losses)
  }
  return citations
}

/** What is said in a row is one message. */
function say(content: Item, phase: TextPart['phase'], items: Item[], pen: Pen): void {
  const last = items.at(-1)
  if (last?.type === 'message' && last.phase === phase && Array.isArray(last.content)) last.content.push(content)
  else items.push(messageItem(pen.id(idPrefix.message), 'completed', [content], phase))
}

function writeItem(part: Part, { asked, pen, losses }: Telling): Item[] {
  switch (part.kind) {
    case 'reasoning':
      return [reasoningItem(pen.id(idPrefix.reasoning), { ...part, form: shownForm(part.form, asked) })]
    case 'call':
      return [callItem(pen.id(idPrefix[part.form]), 'completed', { ...part, argsText: wholeArguments(part.form, part.argsText) })]
    case 'media':
      return writeImage(part, pen)
    case 'native':
      if (part.dialect === 'responses' && isObject(part.raw)) return [part.raw]
      lostBlock(losses)
      return []
    case 'text':
    case 'refusal':
    case 'result':
      return []
  }
}

function writeImage({ media, source, mimeType }: MediaPart, pen: Pen): Item[] {
  return media === 'image' && 'data' in source ? [imageItem(pen.id(idPrefix.image), 'failed', source.data, mimeType)] : []
}
