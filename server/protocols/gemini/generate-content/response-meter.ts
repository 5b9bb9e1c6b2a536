/** A whole Gemini answer: checked, counted, and given back under the name that the client asked for. */
import type { AnswerEdits, WholeAnswer } from '#canonical/codec'
import type { Gauge } from '#canonical/gauge'
import { GatewayError } from '#shared/errors'
import { isObject, scanFields } from '#wire/json-scan'
import { fieldEdits, splice } from '#wire/splice'
import { readInnerError } from '../error.ts'
import { type Body, pick, pickObjects } from '../proto-json.ts'
import { nothingDelivered, readUsage, settleUsage } from '../usage.ts'
import { blockOf, finishOf, measure } from './candidate.ts'
import { modelChange } from './stream-meter.ts'

export function readWhole(body: string, edits: AnswerEdits, inputBytes: number, gauge?: Gauge): WholeAnswer {
  const answer = parseAnswer(body)
  const delivered = nothingDelivered(gauge?.hear)
  const candidates = pickObjects(answer, 'candidates')
  for (const candidate of candidates) measure(candidate, delivered)
  return {
    body: renamed(body, edits.model),
    usage: settleUsage(readUsage(pick(answer, 'usageMetadata'), delivered), delivered, { inputBytes, scale: gauge, isOver: true }),
    end: candidates.some((candidate) => finishOf(candidate) === 'MAX_TOKENS') ? 'length' : 'complete',
  }
}

/**
 * The object of a whole answer: it has candidates, or says why it has none. Throws GatewayError `upstream_error`, or what an
 * `error` object that came with a success means.
 */
export function parseAnswer(body: string): Body {
  const answer = parse(body)
  if (isObject(answer) && pick(answer, 'error') !== undefined) throw readInnerError(pick(answer, 'error'))
  if (isObject(answer) && (pickObjects(answer, 'candidates').length > 0 || blockOf(answer) !== undefined)) return answer
  throw new GatewayError('upstream_error', 'The upstream sent an answer that is not a Gemini answer.')
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

function renamed(body: string, model: string | undefined): string {
  const spans = model === undefined ? undefined : scanFields(body)
  return spans ? splice(body, fieldEdits(body, spans, modelChange(model))) : body
}
