/**
 * One output item of a stream. A message may hold several parts, each under its `content_index`; a reasoning item several
 * segments of a summary or of a full text; any other item is one part.
 */
import type { Phase } from '#canonical/conversation'
import type { Delta, PartHead } from '#canonical/conversation-event'
import { isObject } from '#shared/json'
import { readAnnotation, readAnnotations } from './citations.ts'
import { opaqueOf, reasoningParts } from './reasoning.ts'
import { callHead, callText, imageOf, native, phaseOf, type Reading, readLogprobs, textOf } from './response-read.ts'

type Fields = Record<string, unknown>

/** Where the parts of an answer appear. */
export interface Stage {
  open(part: PartHead): number
  delta(at: number, delta: Delta): void
  close(at: number): void
}

export interface ItemReader {
  push(type: string, event: Fields): void
  /** The complete item, from its last event. */
  end(item: Fields): void
  /** The answer is over: closes open parts. */
  close(): void
}

/** A part that has been opened. */
interface Piece {
  at: number
  form: 'text' | 'refusal' | 'summary' | 'full' | 'call'
  /** The segment of reasoning that is being written. */
  segment: number
  isClosed: boolean
  hasText: boolean
}

/** Reads the events of one output item onto `stage`. */
export function itemReader(stage: Stage, reading: Reading): ItemReader {
  // Parts of a message by their index; the only part of any other item is at 0.
  const pieces = new Map<number, Piece>()
  let kind: unknown
  let phase: Phase | undefined

  function opened(index: number, form: Piece['form'], head: PartHead): Piece {
    const before = pieces.get(index)
    if (before && (before.form === form || before.isClosed)) return before
    if (before) close(before)
    const piece: Piece = { at: stage.open(head), form, segment: 0, isClosed: false, hasText: false }
    pieces.set(index, piece)
    return piece
  }

  function tell(piece: Piece, delta: Delta): void {
    if (piece.isClosed) return
    if ('text' in delta) piece.hasText = true
    stage.delta(piece.at, delta)
  }

  function close(piece: Piece): void {
    if (!piece.isClosed) stage.close(piece.at)
    piece.isClosed = true
  }

  const message = (index: number, form: 'text' | 'refusal') =>
    opened(index, form, form === 'refusal' ? { kind: 'refusal' } : { kind: 'text', ...(phase && { phase }) })

  function reasoning(form: 'summary' | 'full', segment: number, text: string): void {
    const piece = opened(0, form, { kind: 'reasoning', form })
    if (piece.hasText && segment > piece.segment) tell(piece, { segment: true })
    piece.segment = Math.max(piece.segment, segment)
    tell(piece, { text })
  }

  function begin(item: Fields): void {
    kind ??= item.type
    phase ??= phaseOf(item)
    if (item.type !== 'function_call' && item.type !== 'custom_tool_call') return
    const piece = opened(0, 'call', callHead(item, reading))
    const written = item.type === 'function_call' ? item.arguments : item.input
    if (!piece.hasText && typeof written === 'string' && written !== '') tell(piece, { text: written })
  }

  function push(type: string, event: Fields): void {
    const delta = typeof event.delta === 'string' ? event.delta : ''
    const content = index(event.content_index)
    switch (type) {
      case 'response.output_item.added':
        if (isObject(event.item)) begin(event.item)
        break
      case 'response.output_text.delta':
        pushText(content, delta, event)
        break
      case 'response.refusal.delta':
        if (delta !== '') tell(message(content, 'refusal'), { text: delta })
        break
      case 'response.output_text.annotation.added':
        if (isObject(event.annotation)) tell(message(content, 'text'), { citation: readAnnotation(event.annotation) })
        break
      case 'response.content_part.done':
        endContent(content, event.part)
        break
      case 'response.reasoning_summary_text.delta':
        if (delta !== '') reasoning('summary', index(event.summary_index), delta)
        break
      case 'response.reasoning_text.delta':
        if (delta !== '') reasoning('full', content, delta)
        break
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        pushArguments(delta)
    }
  }

  function pushText(place: number, delta: string, { logprobs }: Fields): void {
    const entries = readLogprobs(logprobs)
    if (delta === '' && entries.length === 0) return
    const piece = message(place, 'text')
    if (entries.length > 0) tell(piece, { logprobs: entries })
    if (delta !== '') tell(piece, { text: delta })
  }

  /** Arguments of a call that was never opened arrive whole with its last event. */
  function pushArguments(delta: string): void {
    const piece = pieces.get(0)
    if (piece?.form === 'call' && delta !== '') tell(piece, { text: delta })
  }

  /** A complete content part: sent now if no delta sent it. */
  function endContent(place: number, part: unknown): void {
    if (!isObject(part) || part.type === 'reasoning_text') return
    if (part.type === 'refusal') endPart(place, 'refusal', typeof part.refusal === 'string' ? part.refusal : '')
    else endPart(place, 'text', textOf(part), part)
  }

  function endPart(place: number, form: 'text' | 'refusal', text: string, part: Fields = {}): void {
    const before = pieces.get(place)
    const citations = before ? [] : readAnnotations(part.annotations)
    if (!before && text === '' && citations.length === 0) return
    const piece = message(place, form)
    if (!piece.hasText && text !== '') {
      const entries = before ? [] : readLogprobs(part.logprobs)
      if (entries.length > 0) tell(piece, { logprobs: entries })
      tell(piece, { text })
    }
    for (const citation of citations) tell(piece, { citation })
    close(piece)
  }

  function end(item: Fields): void {
    begin(item)
    if (kind === 'message') for (const [place, part] of list(item.content).entries()) endContent(place, part)
    else if (kind === 'reasoning') endReasoning(item)
    else if (kind === 'function_call' || kind === 'custom_tool_call') endCall(item)
    else if (!pieces.has(0)) endOther(item)
    closeAll()
  }

  /** State is whole only now; earlier values are not believed. */
  function endReasoning(item: Fields): void {
    const piece = pieces.get(0)
    if (piece) {
      for (const opaque of opaqueOf(item)) tell(piece, { opaque })
      return
    }
    for (const part of reasoningParts(item)) {
      const at = stage.open({ kind: 'reasoning', form: part.form })
      for (const [segment, text] of part.text.entries()) {
        if (segment > 0) stage.delta(at, { segment: true })
        stage.delta(at, { text })
      }
      for (const opaque of part.opaque) stage.delta(at, { opaque })
      stage.close(at)
    }
  }

  function endCall(item: Fields): void {
    const piece = pieces.get(0)
    const text = callText(item)
    if (piece && !piece.hasText && text !== '') tell(piece, { text })
  }

  function endOther(item: Fields): void {
    const image = item.type === 'image_generation_call' ? imageOf(item) : undefined
    const { mimeType } = image ?? {}
    const at = stage.open(image ? { kind: 'media', media: 'image', ...(mimeType && { mimeType }) } : native(item))
    if (image && 'data' in image.source) stage.delta(at, { data: image.source.data })
    stage.close(at)
  }

  function closeAll(): void {
    for (const piece of pieces.values()) close(piece)
  }

  return { push, end, close: closeAll }
}

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
const index = (value: unknown) => (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0)
