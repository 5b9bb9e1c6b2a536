/** Output items of a stream: each writes its own events, and can be returned as a whole at any time. */
import type { WriteText } from '#canonical/codec'
import type { Citation, Opaque, Phase, TokenLogprob } from '#canonical/conversation'
import type { Delta, PartHead } from '#canonical/conversation-event'
import type { LossList } from '#canonical/loss'
import type { WrittenFields, WrittenKind } from '#protocols/codec/field-writers'
import { marker } from '#wire/around'
import { writeAnnotation } from './citations.ts'
import { lostSource } from './response-write.ts'
import {
  callItem,
  type Item,
  type ItemStatus,
  imageItem,
  messageItem,
  reasoningItem,
  refusalContent,
  textContent,
  wholeArguments,
  writeLogprobs,
} from './response-write-items.ts'

type Fields = Record<string, unknown>

/** Sends an event of the item; `type` without its `response.`. The item's id and place are added. */
export type WriteItemEvent = (type: string, fields?: Fields) => void

/** Returns a writer for events like this one, which contains the marker instead of a text; `onText` gets every text. */
export type WriteItemTexts = (type: string, fields: Fields, onText: (text: string) => void) => WriteText | undefined

/** The fields of a part’s head that are written. State of a block is in `raw`, that of a call is another vendor's. */
export type Head =
  | WrittenKind<PartHead, 'text', { phase: 'written' }>
  | WrittenKind<PartHead, 'refusal', { kind: 'written' }>
  | WrittenKind<PartHead, 'reasoning', { form: 'written' }>
  | WrittenKind<PartHead, 'call', { callId: 'written'; name: 'written'; form: 'written'; namespace: 'written'; opaque: 'notNeeded' }>
  | WrittenKind<PartHead, 'media', { media: 'written'; mimeType: 'written' }>
  | WrittenKind<PartHead, 'native', { dialect: 'written'; raw: 'written'; summary: 'notNeeded'; opaque: 'notNeeded' }>

type HeadOf<K extends Head['kind']> = Extract<Head, { kind: K }>

/** The fields of a delta that are written. */
export type Piece = WrittenFields<
  Delta,
  { text: 'written'; segment: 'written'; data: 'written'; citation: 'written'; opaque: 'written'; logprobs: 'written' }
>

export interface Draft {
  delta: (delta: Piece, at: number) => void
  /** As `StreamWriter.texts`. */
  texts?(at: number): WriteText | undefined
  /** The part at `at` is whole. */
  close(at: number): void
  item(status: ItemStatus): Item
}

/** A tool call that is being written. */
export function callDraft(id: string, head: HeadOf<'call'>, say: WriteItemEvent, texts: WriteItemTexts): Draft {
  const pieces: string[] = []
  const [events, field] = head.form === 'text' ? ['custom_tool_call_input', 'input'] : ['function_call_arguments', 'arguments']
  return {
    delta(delta) {
      if (!('text' in delta) || delta.text === '') return
      pieces.push(delta.text)
      say(`${events}.delta`, { delta: delta.text })
    },
    texts: () => texts(`${events}.delta`, { delta: marker }, (text) => pieces.push(text)),
    close() {
      const argsText = wholeArguments(head.form, pieces.join(''))
      if (pieces.length === 0 && argsText !== '') say(`${events}.delta`, { delta: argsText })
      pieces.splice(0, pieces.length, argsText)
      say(`${events}.done`, { [field]: argsText })
    },
    item: (status) => callItem(id, status, { ...head, argsText: pieces.join('') }),
  }
}

/** Segments of a summary are parts with an index of their own; a full text is content. */
export function reasoningDraft(id: string, { form }: HeadOf<'reasoning'>, say: WriteItemEvent, texts: WriteItemTexts): Draft {
  const segments: string[] = []
  const opaque: Opaque[] = []
  let pieces: string[] | undefined
  const isFull = form === 'full'
  const place = () => (isFull ? { content_index: segments.length } : { summary_index: segments.length })
  const part = (text: string) => ({ type: isFull ? 'reasoning_text' : 'summary_text', text })
  const [textEvents, partEvents] = isFull ? ['reasoning_text', 'content_part'] : ['reasoning_summary_text', 'reasoning_summary_part']

  function addText(text: string): void {
    if (form === 'hidden' || text === '') return
    if (!pieces) say(`${partEvents}.added`, { ...place(), part: part('') })
    pieces ??= []
    pieces.push(text)
    say(`${textEvents}.delta`, { ...place(), delta: text })
  }

  function endSegment(): void {
    if (!pieces) return
    const text = pieces.join('')
    say(`${textEvents}.done`, { ...place(), text })
    say(`${partEvents}.done`, { ...place(), part: part(text) })
    segments.push(text)
    pieces = undefined
  }

  return {
    delta(delta) {
      if ('text' in delta) addText(delta.text)
      else if ('segment' in delta) endSegment()
      else if ('opaque' in delta) opaque.push(delta.opaque)
    },
    texts() {
      if (form === 'hidden') return () => ''
      const segment = pieces
      return segment && texts(`${textEvents}.delta`, { ...place(), delta: marker }, (text) => segment.push(text))
    },
    close: endSegment,
    item: (status) =>
      status === 'in_progress'
        ? reasoningItem(id, { text: [], form, opaque: [] })
        : reasoningItem(id, { text: pieces ? [...segments, pieces.join('')] : segments, form, opaque }),
  }
}

/** A picture arrives as pieces of base64, each decodable by itself. */
export function imageDraft(id: string, { mimeType }: HeadOf<'media'>, say: WriteItemEvent): Draft {
  const pieces: string[] = []
  const joined = () =>
    pieces.length > 1 ? Buffer.concat(pieces.map((piece) => Buffer.from(piece, 'base64'))).toString('base64') : pieces[0]
  return {
    delta(delta) {
      if (!('data' in delta)) return
      if (pieces.length === 0) for (const step of ['in_progress', 'generating']) say(`image_generation_call.${step}`)
      pieces.push(delta.data)
    },
    close() {
      if (pieces.length > 0) say('image_generation_call.completed')
    },
    item: (status) => imageItem(id, status === 'in_progress' ? 'in_progress' : 'failed', joined(), mimeType),
  }
}

/** Items of this dialect that are written at once; a web search has a few events of its own. */
export function nativeDraft(raw: Item, say: WriteItemEvent): Draft {
  return {
    delta() {},
    close() {
      if (raw.type !== 'web_search_call') return
      for (const step of ['in_progress', 'searching', 'completed']) say(`web_search_call.${step}`)
    },
    item: (status) => (status === 'in_progress' && raw.type === 'web_search_call' ? { ...raw, status } : raw),
  }
}

interface Content {
  index: number
  isRefusal: boolean
  pieces: string[]
  length: number
  citations: Citation[]
  logprobs: TokenLogprob[]
  /** How many of them deltas have sent. */
  sent: number
}

export interface MessageDraft extends Draft {
  readonly phase: Phase | undefined
  begin(at: number, isRefusal: boolean): void
}

/** A message that is being written. */
export function messageDraft(
  id: string,
  phase: Phase | undefined,
  say: WriteItemEvent,
  texts: WriteItemTexts,
  losses: LossList,
): MessageDraft {
  const contents = new Map<number, Content>()
  const whole = ({ isRefusal, pieces, citations, logprobs }: Content): Item =>
    isRefusal ? refusalContent(pieces.join('')) : textContent(pieces.join(''), citations, logprobs)

  function addText(content: Content, delta: string): void {
    if (delta === '') return
    keep(content, delta)
    sendText(content, delta)
  }

  function keep(content: Content, delta: string): void {
    content.pieces.push(delta)
    content.length += delta.length
  }

  function sendText(content: Content, delta: string): void {
    const { logprobs, sent, isRefusal } = content
    if (!isRefusal) content.sent = logprobs.length
    say(...textEvent(content, delta, logprobs.slice(sent)))
  }

  const textEvent = ({ index, isRefusal }: Content, delta: string, logprobs: TokenLogprob[]): [type: string, fields: Fields] =>
    isRefusal
      ? ['refusal.delta', { content_index: index, delta }]
      : ['output_text.delta', { content_index: index, delta, logprobs: writeLogprobs(logprobs) }]

  function addCitation(content: Content, citation: Citation): void {
    const annotation = writeAnnotation(citation, content.length)
    if (!annotation) lostSource(losses)
    if (!annotation || content.isRefusal) return
    say('output_text.annotation.added', { content_index: content.index, annotation_index: content.citations.length, annotation })
    content.citations.push(citation)
  }

  return {
    phase,
    begin(at, isRefusal) {
      const index = contents.size
      contents.set(at, { index, isRefusal, pieces: [], length: 0, citations: [], logprobs: [], sent: 0 })
      say('content_part.added', { content_index: index, part: isRefusal ? refusalContent('') : textContent('') })
    },
    delta(delta: Piece, at: number) {
      const content = contents.get(at)
      if (!content) return
      if ('text' in delta) addText(content, delta.text)
      else if ('citation' in delta) addCitation(content, delta.citation)
      else if ('logprobs' in delta) content.logprobs.push(...delta.logprobs)
    },
    texts(at) {
      const content = contents.get(at)
      if (!content || content.sent < content.logprobs.length) return undefined
      return texts(...textEvent(content, marker, []), (text) => keep(content, text))
    },
    close(at) {
      const content = contents.get(at)
      if (!content) return
      // Those that arrived after the last text.
      if (content.sent < content.logprobs.length) sendText(content, '')
      const text = content.pieces.join('')
      const place = { content_index: content.index }
      if (content.isRefusal) say('refusal.done', { ...place, refusal: text })
      else say('output_text.done', { ...place, text, logprobs: writeLogprobs(content.logprobs) })
      say('content_part.done', { ...place, part: whole(content) })
    },
    item: (status) => messageItem(id, status, status === 'in_progress' ? [] : [...contents.values()].map(whole), phase),
  }
}
