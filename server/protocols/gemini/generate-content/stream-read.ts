/**
 * An upstream stream as events. This dialect has no terminator, so how an answer ended is known when the upstream closes:
 * complete when every candidate has its finish (or the prompt was blocked), an error otherwise.
 */
import type { CodecContext, Frame, Memo, StreamReader } from '#canonical/codec'
import type { ConversationEvent } from '#canonical/conversation-event'
import { later, type ReportedUsage } from '#canonical/delivered'
import type { Loss } from '#canonical/loss'
import { lossList } from '#protocols/codec/field-writers'
import { readBody } from '#protocols/codec/fields'
import { asGatewayError, GatewayError } from '#shared/errors'
import { keepDigits, keepFloats } from '#shared/exact-numbers'
import type { GenerateContentResponse } from '#shared/protocols/gemini/generate-content'
import { parseObject } from '#wire/json-scan'
import { readInnerError } from '../error.ts'
import { type Body, pick, pickObjects, pickText, protoRules } from '../proto-json.ts'
import { type Delivered, nothingDelivered, readUsage, settleUsage } from '../usage.ts'
import { blockedFinish } from './finish.ts'
import { hasCall } from './part.ts'
import { blockOf, measure, placeOf } from './response-meter.ts'
import { type CandidateReader, candidateReader } from './stream-read-candidate.ts'

/** Of all that streams, only calls have values that are passed on. */

/** A reader for one stream. */
export function geminiReader(memo: Memo, codecContext: CodecContext): StreamReader {
  const answer = answerReader(memo, codecContext, false)
  let isOver = false

  function fail(error: GatewayError): ConversationEvent[] {
    isOver = true
    return [...answer.usage(), { kind: 'error', error }]
  }

  function push({ data }: Frame): ConversationEvent[] {
    if (isOver || data === undefined || data === '' || data.trim() === '[DONE]') return []
    const chunk = parseObject(data)
    // The end of the stream may cut an event in two; `end` decides whether the answer was complete.
    if (!chunk) return answer.isComplete() ? [] : fail(broken())
    if (hasCall(data)) {
      keepDigits(data, chunk)
      keepFloats(data, chunk)
    }
    const error = pick(chunk, 'error')
    if (error !== undefined) return fail(readInnerError(error))
    try {
      return answer.push(chunk)
    } catch (thrown) {
      return fail(asGatewayError(thrown))
    }
  }

  function end(broke: GatewayError | undefined): ConversationEvent[] {
    if (isOver) return []
    if (!answer.isComplete()) return fail(broke ?? cut())
    isOver = true
    return [...answer.finish(), { kind: 'end' }]
  }

  return { push, end, losses: answer.losses }
}

/** Reads chunks of an answer in order; shared by streams and whole answers. */
export interface AnswerReader {
  push(chunk: Body): ConversationEvent[]
  isComplete(): boolean
  /** Closes every candidate; the last usage figures follow. */
  finish(): ConversationEvent[]
  /** The figures so far, unless they were already returned. */
  usage(): ConversationEvent[]
  readonly delivered: Delivered
  /** Sources for which no text was left. */
  losses(): readonly Loss[]
}

/** An upstream that invents fields must not fill the memory. */
const mostLosses = 32

/** `keepsText` = citations can be placed in any text, which is then kept. */
export function answerReader(memo: Memo, codecContext: CodecContext, keepsText: boolean): AnswerReader {
  const delivered = nothingDelivered()
  const candidates = new Map<number, CandidateReader>()
  const losses = lossList()
  let reported: ReportedUsage | undefined
  let blocked: string | undefined
  let hasStarted = false
  let lastReported = ''

  function readerOf(place: number): CandidateReader {
    const known = candidates.get(place) ?? candidateReader(place, memo, codecContext, losses, keepsText)
    candidates.set(place, known)
    return known
  }

  function start(chunk: Body): ConversationEvent[] {
    if (hasStarted) return []
    hasStarted = true
    const id = pickText(chunk, 'responseId') || codecContext.id('resp_')
    const model = pickText(chunk, 'modelVersion') ?? ''
    const [first] = usage()
    return [
      { kind: 'start', id, model, created: Math.floor(codecContext.now() / 1000), ...(first?.kind === 'usage' && { usage: first.usage }) },
    ]
  }

  function usage(): ConversationEvent[] {
    if (!reported) return []
    const settled = settleUsage(reported, delivered, { inputBytes: 0, isOver: true })
    // The same figures count as new when more of the answer has arrived.
    const figures = JSON.stringify({ ...settled, raw: reported.delivered })
    if (figures === lastReported) return []
    lastReported = figures
    return [{ kind: 'usage', usage: settled }]
  }

  function push(chunk: Body): ConversationEvent[] {
    const { fields, unread } = readBody<GenerateContentResponse>(chunk, protoRules)
    const found = pickObjects(chunk, 'candidates')
    for (const candidate of found) measure(candidate, delivered)
    reported = later(reported, readUsage(pick(chunk, 'usageMetadata'), delivered))
    blocked ??= blockOf(chunk)
    const events = start(chunk)
    for (const [index, candidate] of fields.objectsIf('candidates').entries()) {
      events.push(...readerOf(placeOf(found[index] ?? {})).push(candidate))
    }
    fields.objectIf('promptFeedback')?.ignore('blockReason')
    // The figures are read as usage; the rest is metadata.
    fields.ignore('usageMetadata', 'modelVersion', 'responseId', 'createTime', 'error')
    for (const path of unread())
      if (losses.losses.length < mostLosses) losses.dropped(path, 'Parley does not know this field of the answer.')
    return [...events, ...usage()]
  }

  function finish(): ConversationEvent[] {
    const ends = [...candidates.values()].flatMap((candidate) => candidate.finish())
    if (candidates.size === 0) ends.push({ kind: 'finish', choice: 0, finish: blockedFinish(blocked ?? 'OTHER') })
    return [...ends, ...usage()]
  }

  function isComplete(): boolean {
    const all = [...candidates.values()]
    return all.length > 0 ? all.every((candidate) => candidate.isFinished()) : blocked !== undefined
  }

  return { push, finish, usage, isComplete, delivered, losses: () => losses.losses }
}

const broken = () => new GatewayError('upstream_error', 'The upstream sent a stream that is not a Gemini answer.')
const cut = () => new GatewayError('upstream_error', 'The upstream ended its answer early.')
