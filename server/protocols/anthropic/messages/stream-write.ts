/**
 * Events as a Messages stream. Blocks are sequential and their indexes have no gaps, so a part that begins while another is open waits;
 * nothing else is kept.
 */
import type { CodecContext, StreamWriter, WriteText } from '#canonical/codec'
import type { ConversationRequest, Finish } from '#canonical/conversation'
import type { ConversationEvent } from '#canonical/conversation-event'
import { noUsage } from '#canonical/usage'
import { lossList, type WrittenKind } from '#protocols/codec/field-writers'
import { GatewayError } from '#shared/errors'
import { writeStreamError } from '../error.ts'
import { writeEvent } from '../frame.ts'
import { writeFinish } from './finish.ts'
import { lostAnswer, messageId } from './response-write.ts'
import { type BlockWriter, blockWriter, type Head, type Piece } from './stream-write-blocks.ts'
import { writeUsage } from './usage.ts'

/** The fields of each event that are written. Streams have no date and no tier here, and the model has the client's name for it. */
type StreamEvent =
  | WrittenKind<ConversationEvent, 'start', { id: 'written'; usage: 'written'; model: 'notNeeded'; created: 'notNeeded' }>
  | WrittenKind<ConversationEvent, 'open', { choice: 'written'; at: 'written'; part: 'written' }>
  | WrittenKind<ConversationEvent, 'delta', { choice: 'written'; at: 'written'; delta: 'written' }>
  | WrittenKind<ConversationEvent, 'close', { choice: 'written'; at: 'written' }>
  | WrittenKind<ConversationEvent, 'usage', { usage: 'written' }>
  | WrittenKind<ConversationEvent, 'finish', { choice: 'written'; finish: 'written' }>
  | WrittenKind<ConversationEvent, 'end', { tier: 'notNeeded' }>
  | WrittenKind<ConversationEvent, 'error', { error: 'written' }>

const nothing = new Uint8Array(0)

/** True for a thought that this dialect's own vendor hid. */
const isRedacted = (delta: Piece) => 'opaque' in delta && delta.opaque.kind === 'redacted'

/** A writer for one stream. Only the first choice is written: this dialect has one answer. */
export function messagesWriter(asked: ConversationRequest, codecContext: CodecContext): StreamWriter {
  const encoder = new TextEncoder()
  const losses = lossList()
  /** In the order of their opening; the first one is on the wire. */
  const parts = new Map<number, BlockWriter>()
  /**
   * Parts with only a signature after the text, as another dialect's vendor sends them. They are written only when more follows: agents
   * take the last block for the answer, and no vendor requires the signature of text.
   */
  const behindWords = new Set<number>()
  let hasWords = false
  let blocks = 0
  let usage = noUsage()
  let finish: Finish | undefined
  let refused = false
  let isOver = false

  function push(event: StreamEvent): Uint8Array {
    if (isOver) return nothing
    if (event.kind === 'error') return fail(event.error)
    if (event.kind === 'end' && !finish) {
      return fail(new GatewayError('upstream_error', 'The upstream ended its answer early.'))
    }
    const text = written(event)
    return text === '' ? nothing : encoder.encode(text)
  }

  function written(event: StreamEvent): string {
    switch (event.kind) {
      case 'start':
        usage = event.usage ?? usage
        return start(event.id)
      case 'open':
        if (event.choice !== 0) {
          lostAnswer(losses)
          return ''
        }
        refused ||= event.part.kind === 'refusal'
        place(event.at, event.part)
        return flush()
      case 'delta':
        if (event.choice !== 0) return ''
        if (isRedacted(event.delta)) behindWords.delete(event.at)
        parts.get(event.at)?.delta(event.delta)
        return flush()
      case 'close':
        if (event.choice === 0) parts.get(event.at)?.close()
        return flush()
      case 'usage':
        usage = event.usage
        return ''
      case 'finish':
        if (event.choice === 0) finish = event.finish
        return ''
      case 'end':
        return end()
      case 'error':
        return ''
    }
  }

  const nextIndex = () => blocks++

  function place(at: number, part: Head): void {
    const isHidden = part.kind === 'reasoning' && part.form === 'hidden'
    if (!isHidden) behindWords.clear()
    else if (hasWords) behindWords.add(at)
    hasWords ||= part.kind === 'text'
    parts.set(at, blockWriter(part, nextIndex, codecContext, losses))
  }

  function start(id: string): string {
    const message = {
      id: messageId(id, codecContext),
      type: 'message',
      role: 'assistant',
      model: asked.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: writeUsage(usage),
    }
    return writeEvent('message_start', { message })
  }

  /** The output that may be sent now: all of the first part, and each next one once those before it are closed. */
  function flush(): string {
    let text = ''
    for (const [at, part] of parts) {
      if (behindWords.has(at)) break
      text += part.take()
      if (!part.isClosed()) break
      parts.delete(at)
    }
    return text
  }

  function end(): string {
    isOver = true
    for (const part of parts.values()) part.close()
    for (const at of behindWords) parts.delete(at)
    const delta = writeFinish(finish ?? { reason: 'stop', raw: '' }, refused)
    return flush() + writeEvent('message_delta', { delta, usage: writeUsage(usage) }) + writeEvent('message_stop', {})
  }

  function fail(error: GatewayError): Uint8Array {
    isOver = true
    return writeStreamError(error)
  }

  /** Only the part that is on the wire; what waits is written later, joined. */
  function texts(choice: number, at: number): WriteText | undefined {
    const [first] = parts.keys()
    return choice === 0 && first === at && !behindWords.has(at) && !isOver ? parts.get(at)?.texts() : undefined
  }

  return { push, texts, losses: () => losses.losses }
}
