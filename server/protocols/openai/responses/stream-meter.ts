/**
 * Meters a Responses stream as it passes. The edits are the model's name, and the response that the client continued: both are inside the
 * response in some events. Counts what is delivered without storing it.
 */
import type { AnswerEdits, Frame, FrameVerdict, Meter } from '#canonical/codec'
import { later, type ReportedUsage } from '#canonical/delivered'
import type { TextListener } from '#canonical/token-estimator'
import type { GatewayError } from '#shared/errors'
import { isObject } from '#shared/json'
import { parseObject } from '#wire/json-scan'
import { similarEvents } from '#wire/similar-events'
import type { FieldChange } from '#wire/splice'
import { closedEvent, editEvent } from '#wire/sse-edit'
import { itemMeter, itemsAmount } from '../item-meter.ts'
import { createdIn, sealedIn } from './compaction.ts'
import { cutOff, eventBytes, failureField, notAnAnswer, readErrorEvent, readFailure, writeStreamError } from './error.ts'
import { readUsage, searchesOf, settleUsage } from './usage.ts'

type Fields = Record<string, unknown>

const withheld: FrameVerdict = { out: undefined, meaningful: false }

function deltaIn(json: string): string | undefined {
  const delta = parseObject(json)?.delta
  return typeof delta === 'string' ? delta : undefined
}

/** The meter of a Responses stream; `listener` gets every delivered text. */
export function responsesMeter(edits: AnswerEdits, listener?: TextListener): Meter {
  const meter = itemMeter(listener)
  const { delivered } = meter
  const { model, previousResponse } = edits
  const changes = answerChanges(edits, true)
  let reported: ReportedUsage | undefined
  let isFinal = false
  let searches = 0
  let tier: string | undefined
  let sequence = -1
  let begun: Fields | undefined
  let ended: 'complete' | 'length' | undefined
  let hasFailed = false
  /** Most deltas are like the one before. */
  const usual = similarEvents()

  function push(frame: Frame): FrameVerdict {
    if (ended || hasFailed) return withheld
    const similar = usual.takes(frame)
    if (similar) return { out: similar, meaningful: true }
    const { data } = frame
    if (data === undefined || data === '') return { out: closedEvent(frame, frame.raw), meaningful: false }
    if (data.length < 16 && data.trim() === '[DONE]') return withheld
    const event = parseObject(data)
    if (!event) return fail(frame.unfinished ? cutOff() : notAnAnswer())
    return pushEvent(frame, typeof event.type === 'string' ? event.type : (frame.event ?? ''), event)
  }

  function pushEvent(frame: Frame, type: string, event: Fields): FrameVerdict {
    if (type === 'error' || (isObject(event.error) && !type.startsWith('response.'))) return fail(readErrorEvent(event))
    note(event.sequence_number)
    meter.add(type, event)
    learn(frame, type, event)
    if (type === 'response.output_item.done' && isObject(event.item) && event.item.type === 'web_search_call') searches++
    const response = isObject(event.response) ? event.response : undefined
    if (response) noteResponse(response, finals.has(type))
    if (type === 'response.failed' || type === 'response.cancelled') return fail(readFailure(response?.error))
    const isEnd = type === 'response.completed' || type === 'response.incomplete'
    if (isEnd && !response) return fail(notAnAnswer())
    if (isEnd) ended = response && isLength(response) ? 'length' : 'complete'
    const isTouched = response && (previousResponse !== undefined || (model !== undefined && response.model !== undefined))
    const out = closedEvent(frame, isTouched ? editEvent(frame.raw, changes, 'response') : frame.raw)
    const sealed = type === 'response.output_item.done' && isObject(event.item) ? sealedIn(event.item) : []
    return {
      out,
      meaningful: isMeaningful(type, event),
      ...(isEnd && { last: true }),
      ...(isEnd && response && createdIn(response)),
      ...(sealed.length > 0 && { sealed }),
    }
  }

  function note(number: unknown): void {
    if (typeof number === 'number' && number > sequence) sequence = number
  }

  function learn(frame: Frame, type: string, event: Fields): void {
    const count = typeof event.delta === 'string' && isMeaningful(type, event) ? meter.pieces(type, event) : undefined
    if (!count) return
    usual.learn(frame, event.delta as string, deltaIn, {
      take(text, bytes, _, number) {
        note(number)
        count(text, bytes)
      },
    })
  }

  function noteResponse(response: Fields, isLast: boolean): void {
    begun ??= response
    if (typeof response.service_tier === 'string') tier = response.service_tier
    const whole = itemsAmount(response.output, listener)
    for (const kind of ['text', 'reasoning', 'images'] as const) delivered[kind] = Math.max(delivered[kind], whole[kind])
    const said = readUsage(response.usage, delivered)
    isFinal ||= isLast && said !== undefined
    reported = later(reported, said)
    searches = searchesOf(response, searches)
  }

  function fail(error: GatewayError): FrameVerdict {
    hasFailed = true
    return { out: undefined, meaningful: true, error }
  }

  return {
    push,
    pass: (text, from, most) => (ended || hasFailed ? undefined : usual.pass(text, from, most)),
    usage: (inputBytes, scale) => settleUsage(reported, delivered, searches, { inputBytes, scale, isOver: isFinal || ended !== undefined }),
    end: () => ended ?? 'cut',
    tier: () => tier,
    tail: () => undefined,
    failure(error) {
      if (!begun) return writeStreamError(error)
      const own = {
        ...(model !== undefined && { model }),
        ...(previousResponse !== undefined && { previous_response_id: previousResponse }),
      }
      const response = { ...begun, ...own, status: 'failed', error: failureField(error) }
      return eventBytes('response.failed', sequence + 1, { response })
    },
  }
}

/** The edits of a response, in an event or whole. */
export function answerChanges({ model, previousResponse }: AnswerEdits, hasModel: boolean): ReadonlyMap<string, FieldChange> {
  const changes = new Map<string, FieldChange>()
  if (model !== undefined && hasModel) changes.set('model', (json) => (json?.startsWith('"') ? JSON.stringify(model) : json))
  if (previousResponse !== undefined) changes.set('previous_response_id', () => JSON.stringify(previousResponse))
  return changes
}

/** Final events. */
const finals = new Set(['response.completed', 'response.incomplete', 'response.failed', 'response.cancelled'])

/** True of a whole response that its limit ended. */
export const isLength = ({ status, incomplete_details: details }: Fields) =>
  status === 'incomplete' && !(isObject(details) && ['content_filter', 'max_messages', 'steered'].includes(String(details.reason)))

/** Events without content of their own. */
const frames = new Set(['', 'ping', 'keepalive', 'response.created', 'response.queued', 'response.in_progress'])
const openings = new Set(['response.content_part.added', 'response.reasoning_summary_part.added'])

/** True for events with a meaning for the client: content, a call, an end; also unknown ones. */
function isMeaningful(type: string, event: Fields): boolean {
  if (frames.has(type) || openings.has(type)) return false
  if (type.endsWith('.delta')) return event.delta !== ''
  if (type !== 'response.output_item.added') return true
  return isObject(event.item) && event.item.type !== 'message' && event.item.type !== 'reasoning'
}
