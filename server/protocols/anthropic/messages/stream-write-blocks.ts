/** One part of a stream as a block: its start, its deltas, its end. An empty part has no block. */
import type { CodecContext, WriteText } from '#canonical/codec'
import type { Delta, PartHead } from '#canonical/conversation-event'
import type { LossList } from '#canonical/loss'
import type { WrittenFields, WrittenKind } from '#protocols/codec/field-writers'
import { wrapInput } from '#protocols/codec/wrapped-tool'
import { isObject } from '#shared/json'
import { around, marker } from '#wire/around'
import { type Json, writeEvent } from '../frame.ts'
import { citationOf, noteLosses, ownBlock, type State } from './response-write.ts'

/** The fields of a part’s head that are written. There are no phases, namespaces and kinds of media here; state of a block is in `raw`. */
export type Head =
  | WrittenKind<PartHead, 'text', { phase: 'notNeeded' }>
  | WrittenKind<PartHead, 'refusal', { kind: 'written' }>
  | WrittenKind<PartHead, 'reasoning', { form: 'written' }>
  | WrittenKind<PartHead, 'call', { callId: 'written'; name: 'written'; form: 'written'; namespace: 'notNeeded'; opaque: 'notNeeded' }>
  | WrittenKind<PartHead, 'media', { media: 'notNeeded'; mimeType: 'notNeeded' }>
  | WrittenKind<PartHead, 'native', { dialect: 'written'; raw: 'written'; summary: 'written'; opaque: 'notNeeded' }>

/** The fields of a delta that are written. Clients of this dialect cannot ask for log probabilities, and get no media. */
export type Piece = WrittenFields<
  Delta,
  { text: 'written'; segment: 'written'; citation: 'written'; opaque: 'written'; data: 'notNeeded'; logprobs: 'notNeeded' }
>

/** A part of the stream while it is open. */
export interface BlockWriter {
  delta: (delta: Piece) => void
  close(): void
  isClosed(): boolean
  /** The events that can be sent now; each is returned once. A block gets its index with the first of them. */
  take(): string
  /** As `StreamWriter.texts`. */
  texts(): WriteText | undefined
}

/** How a kind of part is written. */
interface Shape {
  /** The block as it begins; undefined for none. `isEmpty` = the part has ended and there is nothing to put into it. */
  opening(isEmpty: boolean): Json | undefined
  /** True: the block begins with its part, not with its first delta. */
  atOnce: boolean
  /** The delta of the block, undefined when it is empty. */
  piece: (delta: Piece) => Json | undefined
  /** The last delta before the end. */
  last(): Json | undefined
}

/** `nextIndex` returns the block's index on the wire when its first event is sent. */
export function blockWriter(part: Head, nextIndex: () => number, codecContext: CodecContext, losses: LossList): BlockWriter {
  noteLosses(part, losses)
  const shape = shapeOf(part, codecContext, losses)
  let waiting: Json[] = []
  let index: number | undefined
  let isClosed = false
  let isEnded = false

  function take(): string {
    if (isEnded) return ''
    isEnded = isClosed
    const last = isClosed ? shape.last() : undefined
    if (last) waiting.push(last)
    let text = ''
    if (index === undefined && (waiting.length > 0 || shape.atOnce || isClosed)) {
      const block = shape.opening(waiting.length === 0)
      if (!block) return ''
      index = nextIndex()
      text = writeEvent('content_block_start', { index, content_block: block })
    }
    for (const delta of joined(waiting)) text += writeEvent('content_block_delta', { index, delta })
    waiting = []
    return isClosed ? text + writeEvent('content_block_stop', { index }) : text
  }

  return {
    delta(delta) {
      const piece = isClosed ? undefined : shape.piece(delta)
      if (piece) waiting.push(piece)
    },
    close() {
      isClosed = true
    },
    isClosed: () => isClosed,
    take,
    texts() {
      if (index === undefined || isClosed || waiting.length > 0 || (part.kind === 'call' && part.form === 'text')) return undefined
      const delta = shape.piece({ text: marker })
      const parts = delta && around(writeEvent('content_block_delta', { index, delta }))
      return parts && ((json) => parts[0] + json + parts[1])
    },
  }
}

const growing: Readonly<Record<string, string>> = { text_delta: 'text', thinking_delta: 'thinking', input_json_delta: 'partial_json' }

/** Joins waiting pieces of one kind. */
function joined(pieces: readonly Json[]): Json[] {
  const runs: { piece: Json; texts: string[] }[] = []
  for (const piece of pieces) {
    const key = growing[String(piece.type)]
    const run = runs.at(-1)
    const text = key === undefined ? '' : String(piece[key])
    if (run && key !== undefined && run.piece.type === piece.type) run.texts.push(text)
    else runs.push({ piece, texts: [text] })
  }
  return runs.map(({ piece, texts }) => {
    const key = growing[String(piece.type)]
    return key === undefined ? piece : { ...piece, [key]: texts.join('') }
  })
}

const silent = (): undefined => undefined

function shapeOf(part: Head, codecContext: CodecContext, losses: LossList): Shape {
  switch (part.kind) {
    case 'text':
    case 'refusal':
    // Audio becomes its transcript; there is no other media in answers.
    case 'media':
      return { opening: textOpening, atOnce: false, piece: (delta) => textPiece(delta, losses), last: silent }
    case 'reasoning':
      return reasoningShape()
    case 'call':
      return callShape(part, codecContext)
    case 'native':
      return nativeShape(part)
  }
}

const textOpening = (isEmpty: boolean): Json | undefined => (isEmpty ? undefined : { type: 'text', text: '' })

function textPiece(delta: Piece, losses: LossList): Json | undefined {
  if ('text' in delta) return delta.text === '' ? undefined : { type: 'text_delta', text: delta.text }
  const citation = 'citation' in delta ? citationOf(delta.citation, losses) : undefined
  return citation && { type: 'citations_delta', citation }
}

/** The signature is sent once, at the end. Redacted reasoning is a block of another kind. */
function reasoningShape(): Shape {
  let redacted: string | undefined
  let signature: string | undefined
  let hasText = false
  let isNewSegment = false

  function piece(delta: Piece): Json | undefined {
    if ('segment' in delta) isNewSegment = hasText
    const state: State | undefined = 'opaque' in delta ? delta.opaque : undefined
    if (state?.dialect === 'messages') {
      if (state.kind === 'signature') signature = state.value
      if (state.kind === 'redacted') redacted = state.value
    }
    if (!('text' in delta) || delta.text === '') return undefined
    const thinking = isNewSegment ? `\n\n${delta.text}` : delta.text
    hasText = true
    isNewSegment = false
    return { type: 'thinking_delta', thinking }
  }

  return {
    opening(isEmpty) {
      if (!isEmpty) return { type: 'thinking', thinking: '', signature: '' }
      return redacted === undefined ? undefined : { type: 'redacted_thinking', data: redacted }
    },
    atOnce: false,
    piece,
    last() {
      const seal = signature ?? (hasText ? redacted : undefined)
      return seal === undefined ? undefined : { type: 'signature_delta', signature: seal }
    },
  }
}

function callShape({ callId, name, form }: Extract<Head, { kind: 'call' }>, codecContext: CodecContext): Shape {
  const held: string[] = []
  return {
    opening: () => ({ type: 'tool_use', id: callId || codecContext.id('toolu_'), name, input: {} }),
    atOnce: true,
    piece(delta) {
      if (!('text' in delta) || delta.text === '') return undefined
      if (form === 'json') return { type: 'input_json_delta', partial_json: delta.text }
      held.push(delta.text)
      return undefined
    },
    last: () => (form === 'text' ? { type: 'input_json_delta', partial_json: wrapInput(held.join('')) } : undefined),
  }
}

/** A block of this dialect is sent as its upstream sent it; the input of a hosted tool is a delta. */
function nativeShape(part: Extract<Head, { kind: 'native' }>): Shape {
  const block = ownBlock(part)
  if (!block) {
    const words = part.summary ? { type: 'text_delta', text: part.summary } : undefined
    return { opening: textOpening, atOnce: false, piece: silent, last: () => words }
  }
  const input = isObject(block.input) && Object.keys(block.input).length > 0 ? block.input : undefined
  return {
    opening: () => (input ? { ...block, input: {} } : block),
    atOnce: true,
    piece: silent,
    last: () => input && { type: 'input_json_delta', partial_json: JSON.stringify(input) },
  }
}
