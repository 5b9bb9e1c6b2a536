/**
 * The frame that streams of Chat and Completions share, read into events: chunks, usage, errors, the terminator, and how a stream ends. The
 * content of a choice is read by its dialect, one chunk at a time and finished at the end, because some upstreams go on after a finish
 * reason.
 */
import type { CodecContext, Frame, StreamReader } from '#canonical/codec'
import type { ConversationEvent } from '#canonical/conversation-event'
import { later, nothingDelivered, type ReportedUsage } from '#canonical/delivered'
import { lossList } from '#protocols/codec/field-writers'
import { type KnownFields, knownFields, unknownFields } from '#protocols/codec/known-fields'
import { GatewayError } from '#shared/errors'
import { keepDigits, keepFloats } from '#shared/exact-numbers'
import { isObject } from '#shared/json'
import { readOrigin } from './answer.ts'
import { carries } from './choice.ts'
import { readInnerError } from './error.ts'
import type { Body } from './fields.ts'
import { readUsage, recordPredictions } from './usage.ts'

export interface ChoiceReader {
  /** The events of one choice object of a chunk. Its finish is kept for the end. */
  push(choice: Body): ConversationEvent[]
  /** Takes further text of its open part; absent: it does not need texts. */
  said?(text: string): void
  /** Whether the upstream has sent a finish reason. */
  isFinished(): boolean
  /** Closes open parts and finishes. `beside`: the latest chunk with dialect-specific fields next to the choices. */
  end(beside: Body): ConversationEvent[]
}

/** Choices beyond this are not believed, so that no upstream can fill the memory. */
const mostChoices = 2048

/** How a dialect reads its chunks. */
export interface ChunkRules {
  /** Begins the id of an answer that has none. */
  prefix: string
  /** The fields of a chunk that are read, or that only its upstream can make use of. */
  known: KnownFields
  /** Makes the reader of one choice. */
  begin(choice: number): ChoiceReader
}

/** The fields of a chunk, with those of its choices. `obfuscation` hides how long a chunk is. */
export const chunkFields = (choice: KnownFields): KnownFields =>
  knownFields('id object created model usage service_tier system_fingerprint provider obfuscation error type citations search_results', {
    choices: choice,
  })

/** Reads the stream of one answer. */
export function chunkReader({ prefix, known, begin }: ChunkRules, codecContext: CodecContext): StreamReader {
  const choices = new Map<number, ChoiceReader>()
  const losses = lossList()
  const recordUnknown = unknownFields(losses)
  let reported: ReportedUsage | undefined
  let tier: string | undefined
  let beside: Body = {}
  let isOver = false
  /** Of the last chunk that had one choice. */
  let last: ChoiceReader | undefined

  function push(frame: Frame): ConversationEvent[] {
    const { data } = frame
    if (isOver || data === undefined || data === '') return []
    if (data.length < 16 && data.trim() === '[DONE]') return choices.size > 0 ? finish() : fail(broken())
    const chunk = parse(data)
    if (!chunk) return frame.unfinished && isComplete() ? [] : fail(broken())
    if (carries(chunk.error)) return fail(readInnerError(chunk.error))
    if (frame.event === 'error') return fail(readInnerError(chunk))
    return pushChunk(chunk)
  }

  function pushChunk(chunk: Body): ConversationEvent[] {
    const events: ConversationEvent[] = []
    recordUnknown(chunk, known)
    if (typeof chunk.service_tier === 'string') tier = chunk.service_tier
    if (chunk.search_results !== undefined || chunk.citations !== undefined) beside = chunk
    const said: unknown[] = Array.isArray(chunk.choices) ? chunk.choices : []
    const isAlone = said.length === 1
    for (const choice of said) {
      if (!isObject(choice)) continue
      if (carries(choice.error)) return [...events, ...fail(readInnerError(choice.error))]
      if (choices.size === 0) events.push({ kind: 'start', ...readOrigin(chunk, prefix, codecContext) })
      const reader = readerOf(choice)
      last = isAlone ? reader : undefined
      for (const event of reader?.push(choice) ?? []) {
        events.push(event)
        if (event.kind === 'error') isOver = true
      }
      if (isOver) return events
    }
    if (chunk.usage) recordPredictions(chunk.usage, losses)
    // Usage cannot precede the start event.
    if (choices.size > 0) events.push(...readFigures(chunk.usage))
    return events
  }

  function readerOf({ index }: Body): ChoiceReader | undefined {
    const place = typeof index === 'number' && Number.isSafeInteger(index) && index >= 0 ? index : 0
    if (place >= mostChoices) return undefined
    const reader = choices.get(place) ?? begin(place)
    choices.set(place, reader)
    return reader
  }

  function readFigures(raw: unknown): ConversationEvent[] {
    const next = later(reported, readUsage(raw, nothingDelivered()))
    if (!next || next === reported) return []
    reported = next
    return [{ kind: 'usage', usage: next.usage }]
  }

  function finish(): ConversationEvent[] {
    isOver = true
    const ends = [...choices.values()].flatMap((choice) => choice.end(beside))
    return [...ends, { kind: 'end', ...(tier !== undefined && { tier }) }]
  }

  function fail(error: GatewayError): ConversationEvent[] {
    isOver = true
    return [{ kind: 'error', error }]
  }

  const isComplete = () => choices.size > 0 && [...choices.values()].every((choice) => choice.isFinished())

  return {
    push,
    texts: () => last && (last.said ?? ignored),
    losses: () => losses.losses,
    // A stream may lack its terminator, and even break, once every choice has a finish reason.
    end: (broke) => (isOver ? [] : isComplete() ? finish() : fail(broke ?? cut())),
  }
}

/** Some servers send the arguments of a call as an object, which is passed on; all else that is passed on is text. */
const hasObject = /(?:arguments|input)"\s*:\s*\{/

function parse(data: string): Body | undefined {
  try {
    const parsed: unknown = JSON.parse(data)
    if (hasObject.test(data)) {
      keepDigits(data, parsed)
      keepFloats(data, parsed)
    }
    return isObject(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}

const ignored = () => undefined

const broken = () => new GatewayError('upstream_error', 'The upstream sent a stream that is not a chat answer.')
const cut = () => new GatewayError('upstream_error', 'The upstream ended its answer early.')
