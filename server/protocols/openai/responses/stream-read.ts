/**
 * An upstream's stream as events. Whatever the upstream leaves out, repeats or mixes up, the events keep their order: parts are opened with
 * their first content, and content that is only in an item's last event is read then. Stores no text.
 */
import type { CodecContext, Memo, StreamReader } from '#canonical/codec'
import type { ConversationEvent, Delta, PartHead } from '#canonical/conversation-event'
import { later, nothingDelivered, type ReportedUsage } from '#canonical/delivered'
import { lossList } from '#protocols/codec/field-writers'
import { type KnownFields, knownFields, unknownFields, unknownKinds } from '#protocols/codec/known-fields'
import type { GatewayError } from '#shared/errors'
import { isObject } from '#shared/json'
import type { Frame } from '#shared/sse'
import { cutOff, notAnAnswer, readErrorEvent, readFailure } from './error.ts'
import { readFinish } from './finish.ts'
import { headOf, placed, placedInContent, placedInItem } from './response-read.ts'
import { type ItemReader, itemReader } from './stream-read-items.ts'
import { readUsage, searchesOf, settleUsage } from './usage.ts'

type Fields = Record<string, unknown>

/** Most items open at a time: no upstream needs a hundredth of that. */
const mostOpen = 1024
/** Delivered bytes are counted elsewhere: only the upstream's own usage becomes an event. */
const nothing = nothingDelivered()

/** Fields of the final response. Its items had events of their own. */
const responseFields = knownFields(placed.join(' '))

const content = knownFields(placedInContent.join(' '))

const knownItems = new Map(
  Object.entries(placedInItem).map(([type, names]) => [type, knownFields(names.join(' '), type === 'message' ? { content } : {})]),
)

/** Undefined for an item of another type, which is kept unchanged. */
const itemFields = ({ type }: Record<string, unknown>): KnownFields | undefined => knownItems.get(String(type))

const places = 'type sequence_number output_index item_id content_index'
/** `obfuscation` hides how long a delta is. */
const delta = knownFields(`${places} delta obfuscation`)
const withResponse = knownFields('type sequence_number response')
const withItem = knownFields(`${places} item`)

/** By event type. All others repeat earlier pieces, or report the progress of an item that is sent whole. */
const eventFields = new Map<string, KnownFields>([
  ['response.created', withResponse],
  ['response.queued', withResponse],
  ['response.in_progress', withResponse],
  ['response.completed', withResponse],
  ['response.incomplete', withResponse],
  ['response.output_item.added', withItem],
  ['response.output_item.done', withItem],
  ['response.output_text.delta', knownFields(`${places} delta obfuscation logprobs`)],
  ['response.output_text.annotation.added', knownFields(`${places} annotation annotation_index`)],
  ['response.content_part.done', knownFields(places, { part: content })],
  ['response.refusal.delta', delta],
  ['response.reasoning_summary_text.delta', knownFields(`${places} delta obfuscation summary_index`)],
  ['response.reasoning_text.delta', delta],
  ['response.function_call_arguments.delta', delta],
  ['response.custom_tool_call_input.delta', delta],
])

const repeating = new Set([
  ...['response.output_text.done', 'response.content_part.added', 'response.refusal.done', 'response.reasoning_text.done'],
  ...['response.reasoning_summary_part.added', 'response.reasoning_summary_part.done', 'response.reasoning_summary_text.done'],
  ...['response.function_call_arguments.done', 'response.custom_tool_call_input.done'],
  ...['response.failed', 'response.cancelled', 'response.compaction.compacting', 'error', 'keepalive', ''],
])
/** Items that are sent whole at the end: their own events only report progress. */
const wholeItems =
  /^response\.(code_interpreter|file_search|image_generation|mcp|shell|web_search|apply_patch|computer)_(call|list_tools)(_[a-z]+)*\./

/** True for an event whose content is repeated later, or that only reports progress. */
const repeats = (type: string): boolean => repeating.has(type) || wholeItems.test(type)

/** Reads the stream of an upstream; `memo` was returned when its request was written. */
export function responsesReader(memo: Memo, codecContext: CodecContext): StreamReader {
  const items = new Map<number, ItemReader>()
  const seen = new Set<number>()
  const held = { call: false, refusal: false }
  let events: ConversationEvent[] = []
  let hasStarted = false
  let hasEnded = false
  let nextPlace = 0
  let searches = 0
  let reported: ReportedUsage | undefined
  const losses = lossList()
  const recordUnknown = unknownFields(losses)
  const recordKind = unknownKinds(losses)
  let lastType = ''
  let known: KnownFields | undefined

  function start(response: Fields): void {
    if (hasStarted) return
    hasStarted = true
    events.push({ kind: 'start', ...headOf(response, codecContext) })
  }

  const stage = {
    open(part: PartHead): number {
      start({})
      if (part.kind === 'call') held.call = true
      if (part.kind === 'refusal') held.refusal = true
      if (part.kind === 'native' && isObject(part.raw) && part.raw.type === 'web_search_call') searches++
      events.push({ kind: 'open', choice: 0, at: nextPlace, part })
      return nextPlace++
    },
    delta(at: number, delta: Delta): void {
      events.push({ kind: 'delta', choice: 0, at, delta })
    },
    close(at: number): void {
      events.push({ kind: 'close', choice: 0, at })
    },
  }

  function pushEvent(type: string, event: Fields): void {
    const response = isObject(event.response) ? event.response : undefined
    // Looked up once for a run of events: comparing a name costs less than hashing it.
    if (type !== lastType) {
      lastType = type
      known = eventFields.get(type)
    }
    if (known) recordUnknown(event, known)
    else if (!repeats(type)) recordKind(type)
    if (response) reported = later(reported, readUsage(response.usage, nothing))
    switch (type) {
      case 'response.created':
      case 'response.queued':
      case 'response.in_progress':
        start(response ?? {})
        break
      case 'response.completed':
      case 'response.incomplete':
        if (response) finish(type, response)
        else fail(notAnAnswer())
        break
      case 'response.failed':
      case 'response.cancelled':
        fail(readFailure(response?.error))
        break
      case 'error':
        fail(readErrorEvent(event))
        break
      default:
        if (isObject(event.error) && !type.startsWith('response.')) fail(readErrorEvent(event))
        else pushItemEvent(type, event)
    }
  }

  function pushItemEvent(type: string, event: Fields): void {
    const index = event.output_index
    if (typeof index !== 'number' || !Number.isSafeInteger(index) || index < 0) return
    if (type === 'response.output_item.done') {
      if (isObject(event.item)) {
        const known = itemFields(event.item)
        if (known) recordUnknown(event.item, known, 'output', index)
        endItem(index, event.item)
      }
    } else if (!seen.has(index)) itemAt(index)?.push(type, event)
  }

  function itemAt(index: number): ItemReader | undefined {
    const known = items.get(index)
    if (known || items.size >= mostOpen) return known
    const item = itemReader(stage, { memo, codecContext })
    items.set(index, item)
    return item
  }

  /** `item` is complete: what no event has sent yet is sent now. */
  function endItem(index: number, item: Fields): void {
    if (seen.has(index)) return
    itemAt(index)?.end(item)
    items.delete(index)
    seen.add(index)
  }

  function finish(type: string, response: Fields): void {
    start(response)
    recordUnknown(response, responseFields)
    const output = Array.isArray(response.output) ? response.output : []
    // Indexes in the final list may differ from those in the stream: it completes open items, or replaces them all.
    const wasStreamed = seen.size + items.size > 0
    for (const [index, item] of output.entries()) if (isObject(item) && (!wasStreamed || items.has(index))) endItem(index, item)
    for (const item of items.values()) item.close()
    pushUsage(searchesOf(response, searches))
    const status = response.status ?? type.slice('response.'.length)
    events.push({ kind: 'finish', choice: 0, finish: readFinish({ ...response, status }, held) })
    events.push({ kind: 'end', ...(typeof response.service_tier === 'string' && { tier: response.service_tier }) })
    hasEnded = true
  }

  function pushUsage(searched: number): void {
    if (reported) events.push({ kind: 'usage', usage: settleUsage(reported, nothing, searched, { inputBytes: 0, isOver: true }) })
  }

  /** Open parts stay open: closing them would mark them as complete. Their usage is charged anyway. */
  function fail(error: GatewayError): void {
    pushUsage(searches)
    events.push({ kind: 'error', error })
    hasEnded = true
  }

  function flush(): ConversationEvent[] {
    const heard = events
    events = []
    return heard
  }

  function pushFrame({ data, event: name, unfinished }: Frame): void {
    if (data === undefined || data === '' || (data.length < 16 && data.trim() === '[DONE]')) return
    const event = parse(data)
    if (event) pushEvent(typeof event.type === 'string' ? event.type : (name ?? ''), event)
    else fail(unfinished ? cutOff() : notAnAnswer())
  }

  return {
    losses: () => losses.losses,
    // An item only records that it has text.
    texts: () => ignored,
    push(frame) {
      if (!hasEnded) pushFrame(frame)
      return flush()
    },
    end(broke) {
      if (!hasEnded) fail(broke ?? cutOff())
      return flush()
    },
  }
}

const ignored = () => undefined

function parse(data: string): Fields | undefined {
  try {
    const parsed: unknown = JSON.parse(data)
    return isObject(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}
