/**
 * The blocks of an upstream's stream that are open, and the events that they become. Whatever an upstream does with its
 * indexes, a place is opened and closed once, and a piece never lands in a part of another kind.
 */

import type { Memo } from '#canonical/codec'
import type { ConversationEvent, Delta, PartHead } from '#canonical/conversation-event'
import { unwrapInput } from '#protocols/codec/wrapped-tool'
import { exact, parseExactObject } from '#shared/exact-numbers'
import { broken, type Json } from '../frame.ts'
import { readCitation } from './citations.ts'
import { callHead, inputText, nativeOf } from './response-read.ts'

interface OpenBlock {
  at: number
  kind: 'text' | 'reasoning' | 'call' | 'native'
  /** Some of the arguments have gone out or are held. */
  hasInput: boolean
  /** Arguments of a wrapped tool or of a server tool, which can only be passed on as a whole. */
  held: string[] | undefined
  /** A signature may arrive in pieces, and must be passed on as one. */
  signature: string
  block: Json
}

/** The blocks of one stream. */
export interface OpenBlocks {
  start(index: number, block: Json): ConversationEvent[]
  delta(index: number, delta: Json): ConversationEvent[]
  stop(index: number): ConversationEvent[]
  /** Closes open blocks, in order. */
  stopAll(): ConversationEvent[]
  /** The client's tools were called. */
  hasCalls(): boolean
}

/** More open blocks at a time than any answer has. */
const most = 256

/** Throws GatewayError `upstream_error` when more blocks are open at a time than any answer has. */
export function openBlocks(memo: Memo): OpenBlocks {
  const blocks = new Map<number, OpenBlock>()
  let places = 0
  let called = false

  const deltaOf = ({ at }: OpenBlock, delta: Delta): ConversationEvent => ({ kind: 'delta', choice: 0, at, delta })
  const say = (open: OpenBlock, text: unknown): ConversationEvent[] =>
    typeof text === 'string' && text !== '' ? [deltaOf(open, { text })] : []

  function place(index: number, kind: OpenBlock['kind'], block: Json, held?: string[]): OpenBlock {
    if (blocks.size >= most) throw broken()
    const open: OpenBlock = { at: places++, kind, hasInput: false, held, signature: '', block }
    blocks.set(index, open)
    return open
  }

  const opened = ({ at }: OpenBlock, part: PartHead): ConversationEvent => ({ kind: 'open', choice: 0, at, part })

  function start(index: number, block: Json): ConversationEvent[] {
    const before = stop(index)
    switch (block.type) {
      case 'text': {
        const open = place(index, 'text', block)
        return [...before, opened(open, { kind: 'text' }), ...say(open, block.text)]
      }
      case 'thinking': {
        const open = place(index, 'reasoning', block)
        if (typeof block.signature === 'string') open.signature = block.signature
        return [...before, opened(open, { kind: 'reasoning', form: 'full' }), ...say(open, block.thinking)]
      }
      case 'redacted_thinking': {
        const open = place(index, 'reasoning', block)
        const value = typeof block.data === 'string' ? block.data : ''
        const delta: Delta = { opaque: { dialect: 'messages', kind: 'redacted', value } }
        return [...before, opened(open, { kind: 'reasoning', form: 'hidden' }), deltaOf(open, delta)]
      }
      case 'tool_use': {
        called = true
        const part = callHead(block, memo)
        return [...before, opened(place(index, 'call', block, part.form === 'text' ? [] : undefined), part)]
      }
      default:
        place(index, 'native', block, [])
        return before
    }
  }

  /** The block that a piece of `kind` belongs to; opened here if the upstream did not open it, or opened another kind. */
  function blockFor(index: number, kind: 'text' | 'reasoning'): { open: OpenBlock; events: ConversationEvent[] } {
    const open = blocks.get(index)
    if (open?.kind === kind) return { open, events: [] }
    const events = start(index, kind === 'text' ? { type: 'text' } : { type: 'thinking' })
    return { open: blocks.get(index) ?? place(index, kind, {}), events }
  }

  function delta(index: number, piece: Json): ConversationEvent[] {
    switch (piece.type) {
      case 'text_delta':
      case 'thinking_delta': {
        const text = piece.type === 'text_delta' ? piece.text : piece.thinking
        if (typeof text !== 'string' || text === '') return []
        const { open, events } = blockFor(index, piece.type === 'text_delta' ? 'text' : 'reasoning')
        return [...events, ...say(open, text)]
      }
      case 'signature_delta':
        return sign(index, piece.signature)
      case 'citations_delta': {
        const open = blocks.get(index)
        const citation = readCitation(piece.citation)
        return open?.kind === 'text' && citation ? [deltaOf(open, { citation })] : []
      }
      case 'input_json_delta':
        return input(blocks.get(index), piece.partial_json)
      case 'compaction_delta':
        return compact(blocks.get(index), piece)
      default:
        return []
    }
  }

  function sign(index: number, signature: unknown): ConversationEvent[] {
    if (typeof signature !== 'string' || signature === '') return []
    const { open, events } = blockFor(index, 'reasoning')
    open.signature += signature
    return events
  }

  function input(open: OpenBlock | undefined, json: unknown): ConversationEvent[] {
    if (!open || (open.kind !== 'call' && open.kind !== 'native') || typeof json !== 'string' || json === '') return []
    open.hasInput = true
    if (!open.held) return say(open, json)
    open.held.push(json)
    return []
  }

  function compact(open: OpenBlock | undefined, { type: _, ...fields }: Json): ConversationEvent[] {
    if (open?.kind === 'native') open.block = { ...open.block, ...fields }
    return []
  }

  function stop(index: number): ConversationEvent[] {
    const open = blocks.get(index)
    if (!open) return []
    blocks.delete(index)
    const close: ConversationEvent = { kind: 'close', choice: 0, at: open.at }
    switch (open.kind) {
      case 'text':
        return [close]
      case 'reasoning':
        return open.signature === '' ? [close] : [deltaOf(open, signatureOf(open)), close]
      case 'call':
        return [...say(open, restOf(open)), close]
      case 'native':
        return [opened(open, wholeNative(open)), close]
    }
  }

  return {
    start,
    delta,
    stop,
    stopAll: () => [...blocks.keys()].flatMap(stop),
    hasCalls: () => called,
  }
}

const signatureOf = ({ signature }: OpenBlock): Delta => ({ opaque: { dialect: 'messages', kind: 'signature', value: signature } })

/** The arguments of a call that were not yet passed on: held text, an input that came with the opening, or an empty object. */
function restOf({ hasInput, held, block }: OpenBlock): string {
  if (held && hasInput) return unwrapInput(held.join(''))
  if (hasInput) return ''
  return held ? unwrapInput(inputText(block)) : inputText(block)
}

function wholeNative({ hasInput, held, block }: OpenBlock): PartHead {
  const input = hasInput && held ? parseExactObject(held.join('')) : undefined
  return nativeOf(input ? { ...block, input } : exact(block))
}
