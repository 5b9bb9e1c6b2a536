/**
 * A Messages stream as events, in the order that every reader guarantees, whatever the upstream does. A stream that ends without
 * a stop reason is an error: success is never made up.
 */
import type { CodecContext, Frame, Memo, StreamReader } from '#canonical/codec'
import type { ConversationEvent } from '#canonical/conversation-event'
import { nothingDelivered, settled } from '#canonical/delivered'
import { lossList } from '#protocols/codec/field-writers'
import { asGatewayError, GatewayError } from '#shared/errors'
import { isObject } from '#shared/json'
import { readInnerError } from '../error.ts'
import { broken, type Json, readEvent } from '../frame.ts'
import { readFinish } from './finish.ts'
import { measure } from './response-meter.ts'
import { readServedTier, recordUnplaced } from './response-read.ts'
import { openBlocks } from './stream-read-blocks.ts'
import { type ReportedUsage, readUsage } from './usage.ts'

/** Fields of single deltas are not accounted for; those of the message and of its end are. */
export function messagesReader(memo: Memo, codecContext: CodecContext): StreamReader {
  const losses = lossList()
  const blocks = openBlocks(memo)
  const delivered = nothingDelivered()
  let reading: ReportedUsage | undefined
  let hasBegun = false
  let isFinished = false
  let isOver = false

  function push(frame: Frame): ConversationEvent[] {
    if (isOver) return []
    const event = readEvent(frame)
    if (event === 'nothing') return []
    // The end of the stream cut this event in half; `end` decides whether the answer was complete.
    if (event === 'garbage') return frame.unfinished ? [] : fail(broken())
    try {
      return understand(event.type, event.data)
    } catch (thrown) {
      return fail(asGatewayError(thrown))
    }
  }

  function understand(type: string | undefined, data: Json): ConversationEvent[] {
    switch (type) {
      case 'message_start': {
        const message = isObject(data.message) ? data.message : {}
        recordUnplaced(message, losses)
        return start(message)
      }
      case 'content_block_start':
      case 'content_block_delta':
      case 'content_block_stop':
        return isFinished ? [] : [...start({}), ...content(type, data)]
      case 'message_delta': {
        const { delta, ...beside } = data
        recordUnplaced(beside, losses)
        if (isObject(delta)) recordUnplaced(delta, losses)
        return [...start({}), ...told(data.usage), ...change(isObject(delta) ? delta : {})]
      }
      case 'message_stop':
        return hasBegun ? [...finish('', null), ...end()] : fail(broken())
      case 'error':
        return fail(readInnerError(data.error ?? data))
      default:
        return []
    }
  }

  /** Only once: some upstreams begin twice, and some not at all. */
  function start({ id, model, usage }: Json): ConversationEvent[] {
    if (hasBegun) return []
    hasBegun = true
    reading = readUsage(usage, delivered)
    return [
      {
        kind: 'start',
        id: typeof id === 'string' ? id : codecContext.id('msg_'),
        model: typeof model === 'string' ? model : '',
        created: Math.floor(codecContext.now() / 1000),
        // Only the input is known yet.
        ...(reading && { usage: { ...usageNow(reading), provenance: 'partial' } }),
      },
    ]
  }

  function content(type: string, data: Json): ConversationEvent[] {
    const index = typeof data.index === 'number' ? data.index : 0
    if (type === 'content_block_stop') return blocks.stop(index)
    const piece = type === 'content_block_start' ? data.content_block : data.delta
    if (!isObject(piece)) return []
    measure(piece, delivered)
    return type === 'content_block_start' ? blocks.start(index, piece) : blocks.delta(index, piece)
  }

  function told(usage: unknown): ConversationEvent[] {
    const before = reading
    reading = readUsage(usage, delivered, reading)
    return reading && reading !== before ? [{ kind: 'usage', usage: usageNow(reading) }] : []
  }

  const usageNow = (read: ReportedUsage) => settled(read, delivered, { inputBytes: 0, isOver: true })

  function change({ stop_reason: reason, stop_sequence: sequence }: Json): ConversationEvent[] {
    return typeof reason === 'string' && reason !== '' ? finish(reason, sequence) : []
  }

  function finish(reason: string, sequence: unknown): ConversationEvent[] {
    if (isFinished) return []
    isFinished = true
    return [...blocks.stopAll(), { kind: 'finish', choice: 0, finish: readFinish(reason, sequence, blocks.hasCalls()) }]
  }

  function end(): ConversationEvent[] {
    isOver = true
    const tier = readServedTier(reading?.raw)
    return [{ kind: 'end', ...(tier !== undefined && { tier }) }]
  }

  /** Usage goes out before the error, because what was delivered has to be paid for. */
  function fail(error: GatewayError): ConversationEvent[] {
    isOver = true
    const usage = reading ? [{ kind: 'usage' as const, usage: usageNow(reading) }] : []
    return [...usage, { kind: 'error', error }]
  }

  return {
    push,
    losses: () => losses.losses,
    end(broke) {
      if (isOver) return []
      if (isFinished) return end()
      return fail(broke ?? new GatewayError('upstream_error', 'The upstream ended its answer early. What arrived was charged.'))
    },
  }
}
