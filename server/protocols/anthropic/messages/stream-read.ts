/**
 * A Messages stream as events, in the order that every reader guarantees, whatever the upstream does. A stream that ends without
 * a stop reason is an error: success is never made up.
 */
import type { CodecContext, Frame, Memo, StreamReader, TakeText } from '#canonical/codec'
import type { ConversationEvent } from '#canonical/conversation-event'
import { nothingDelivered, settled } from '#canonical/delivered'
import { lossList } from '#protocols/codec/field-writers'
import { type KnownFields, knownFields, unknownFields, unknownKinds } from '#protocols/codec/known-fields'
import { asGatewayError, GatewayError } from '#shared/errors'
import { isObject } from '#shared/json'
import { readInnerError } from '../error.ts'
import { broken, type Json, readEvent } from '../frame.ts'
import { readFinish } from './finish.ts'
import { measure } from './response-meter.ts'
import { placed, readServedTier } from './response-read.ts'
import { openBlocks } from './stream-read-blocks.ts'
import { type CumulativeUsage, readUsage, recordBreakdown } from './usage.ts'

const message = knownFields(placed.join(' '))
const beside = knownFields('type usage delta')
/** By block type. Blocks of other types are kept unchanged. */
const blockFields: Readonly<Record<string, KnownFields>> = {
  text: knownFields('type text citations'),
  thinking: knownFields('type thinking signature'),
  redacted_thinking: knownFields('type data'),
  // A call of the client's tools is always made by the model itself.
  tool_use: knownFields('type id name input', { caller: knownFields('type') }),
}
/** By the type of a delta. Fields of a compaction are kept with its block. */
const deltaFields: Readonly<Record<string, KnownFields>> = {
  text_delta: knownFields('type text'),
  thinking_delta: knownFields('type thinking'),
  signature_delta: knownFields('type signature'),
  citations_delta: knownFields('type citation'),
  input_json_delta: knownFields('type partial_json'),
}

const fieldsOf = (tables: Readonly<Record<string, KnownFields>>, kind: unknown): KnownFields | undefined =>
  typeof kind === 'string' && Object.hasOwn(tables, kind) ? tables[kind] : undefined

/** Reads the stream of an upstream; `memo` was returned when its request was written. */
export function messagesReader(memo: Memo, codecContext: CodecContext): StreamReader {
  const losses = lossList()
  const recordUnknown = unknownFields(losses)
  const recordKind = unknownKinds(losses)
  const blocks = openBlocks(memo)
  const delivered = nothingDelivered()
  let reading: CumulativeUsage | undefined
  let lastDelta: unknown
  let lastTable: KnownFields | undefined
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
        const begun = isObject(data.message) ? data.message : {}
        recordUnknown(begun, message)
        recordEarly(begun)
        return start(begun)
      }
      case 'content_block_start':
      case 'content_block_delta':
      case 'content_block_stop':
        return isFinished ? [] : [...start({}), ...content(type, data)]
      case 'message_delta': {
        const { delta } = data
        recordUnknown(data, beside)
        if (isObject(delta)) recordUnknown(delta, message)
        return [...start({}), ...reported(data.usage), ...change(isObject(delta) ? delta : {})]
      }
      case 'message_stop':
        return hasBegun ? [...finish('', null), ...end()] : fail(broken())
      case 'error':
        return fail(readInnerError(data.error ?? data))
      default:
        if (type !== undefined && type !== 'ping') recordKind(type)
        return []
    }
  }

  /** Streams should begin empty: content and stop reasons in the first event are not sent, and are recorded as losses. */
  function recordEarly({ content, stop_reason: reason, stop_sequence: sequence }: Json): void {
    if (Array.isArray(content) && content.length > 0)
      losses.dropped('content', 'Only the events of a stream are read, not the content of its first one.')
    if (typeof reason === 'string' || typeof sequence === 'string')
      losses.leftOut('stop_reason', 'The last event of a stream has its stop reason.')
  }

  /** Only once: some upstreams begin twice, and some not at all. */
  function start({ id, model, usage }: Json): ConversationEvent[] {
    if (hasBegun) return []
    hasBegun = true
    recordBreakdown(usage, losses)
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
    const table = type === 'content_block_start' ? fieldsOf(blockFields, piece.type) : deltaTable(piece.type)
    if (table) recordUnknown(piece, table, 'content', index)
    else if (type === 'content_block_delta' && piece.type !== 'compaction_delta') recordKind(String(piece.type))
    measure(piece, delivered)
    return type === 'content_block_start' ? blocks.start(index, piece) : blocks.delta(index, piece)
  }

  /** Looked up once for a run of deltas: comparing a name costs less than hashing it. */
  function deltaTable(kind: unknown): KnownFields | undefined {
    if (kind === lastDelta) return lastTable
    lastDelta = kind
    lastTable = fieldsOf(deltaFields, kind)
    return lastTable
  }

  function reported(usage: unknown): ConversationEvent[] {
    const before = reading
    recordBreakdown(usage, losses)
    reading = readUsage(usage, delivered, reading)
    return reading && reading !== before ? [{ kind: 'usage', usage: usageNow(reading) }] : []
  }

  const usageNow = (read: CumulativeUsage) => settled(read, delivered, { inputBytes: 0, isOver: true })

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

  /** Usage comes before the error, because delivered output has to be paid for. */
  function fail(error: GatewayError): ConversationEvent[] {
    isOver = true
    const usage = reading ? [{ kind: 'usage' as const, usage: usageNow(reading) }] : []
    return [...usage, { kind: 'error', error }]
  }

  /** Texts are those of the last delta's kind. */
  function texts(): TakeText | undefined {
    const kind = lastDelta === 'text_delta' ? 'text' : lastDelta === 'thinking_delta' ? 'reasoning' : undefined
    if (kind === undefined) return undefined
    return (_, bytes) => {
      delivered[kind] += bytes
    }
  }

  return {
    push,
    texts,
    losses: () => losses.losses,
    end(broke) {
      if (isOver) return []
      if (isFinished) return end()
      return fail(broke ?? new GatewayError('upstream_error', 'The upstream ended its answer early.'))
    },
  }
}
