/**
 * Meters a Gemini stream as it passes. The only edit puts the model's name back. This dialect has no terminator: an answer is complete when
 * every candidate has its finish, or when the prompt was blocked. Counts what is delivered without storing it.
 */
import type { AnswerEdits, Frame, FrameVerdict, Meter } from '#canonical/codec'
import { later, type ReportedUsage } from '#canonical/delivered'
import type { TextListener } from '#canonical/token-estimator'
import { GatewayError } from '#shared/errors'
import { parseObject } from '#wire/json-scan'
import { closedEvent, editEvent } from '#wire/sse-edit'
import { readInnerError } from '../error.ts'
import { type Body, pick, pickObjects } from '../proto-json.ts'
import { nothingDelivered, readUsage, settleUsage } from '../usage.ts'
import { blockOf, carries, finishOf, measure, modelChange, placeOf } from './response-meter.ts'

const withheld: FrameVerdict = { out: undefined, meaningful: false }

/** A meter for one stream. `listener` gets every delivered text. */
export function geminiMeter(edits: AnswerEdits, listener?: TextListener): Meter {
  const delivered = nothingDelivered(listener)
  const begun = new Set<number>()
  const finished = new Set<number>()
  const changes = modelChange(edits.model)
  let reported: ReportedUsage | undefined
  let hitLimit = false
  let isBlocked = false
  let hasFailed = false

  function push(frame: Frame): FrameVerdict {
    if (hasFailed) return withheld
    const { data } = frame
    if (data === undefined || data === '') return { out: closedEvent(frame, frame.raw), meaningful: false }
    // Not of this dialect, and Google's SDK throws on it; other vendors' gateways send it.
    if (data.length < 16 && data.trim() === '[DONE]') return withheld
    const answer = parseObject(data)
    if (!answer) return frame.unfinished && isComplete() ? withheld : fail(broken())
    if (pick(answer, 'error') !== undefined) return fail(readInnerError(pick(answer, 'error')))
    note(answer)
    const raw = edits.model !== undefined && pick(answer, 'modelVersion') !== undefined ? editEvent(frame.raw, changes) : frame.raw
    return { out: closedEvent(frame, raw), meaningful: carries(answer) }
  }

  function note(answer: Body): void {
    for (const candidate of pickObjects(answer, 'candidates')) {
      const place = placeOf(candidate)
      begun.add(place)
      measure(candidate, delivered)
      const reason = finishOf(candidate)
      if (reason !== undefined) finished.add(place)
      if (reason === 'MAX_TOKENS') hitLimit = true
    }
    isBlocked ||= blockOf(answer) !== undefined
    reported = later(reported, readUsage(pick(answer, 'usageMetadata'), delivered))
  }

  function fail(error: GatewayError): FrameVerdict {
    hasFailed = true
    return { out: undefined, meaningful: true, error }
  }

  const isComplete = () => !hasFailed && (begun.size > 0 ? finished.size === begun.size : isBlocked)

  return {
    push,
    usage: (inputBytes, scale) => settleUsage(reported, delivered, { inputBytes, scale, isOver: isComplete() }),
    end: () => (isComplete() ? (hitLimit ? 'length' : 'complete') : 'cut'),
    tail: () => undefined,
  }
}

function broken(): GatewayError {
  return new GatewayError('upstream_error', 'The upstream sent a stream that is not a Gemini answer.')
}
