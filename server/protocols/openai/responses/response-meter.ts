/** A whole response: checked, counted, and returned under the model name that the client asked for. */
import type { AnswerEdits, WholeAnswer } from '#canonical/codec'
import type { TokenEstimator } from '#canonical/token-estimator'
import { isObject } from '#shared/json'
import { scanFields } from '#wire/json-scan'
import { type FieldChanges, fieldEdits, splice } from '#wire/splice'
import { itemsAmount } from '../item-meter.ts'
import { createdIn, sealedIn } from './compaction.ts'
import { notAnAnswer, readFailure } from './error.ts'
import { answerChanges, isLength } from './stream-meter.ts'
import { readUsage, searchCalls, searchesOf, settleUsage } from './usage.ts'

/** Throws GatewayError `upstream_error`, or the error of a failed response. */
export function readWhole(body: string, edits: AnswerEdits, inputBytes: number, estimator?: TokenEstimator): WholeAnswer {
  const response = parseResponse(body)
  const delivered = itemsAmount(response.output, estimator)
  const searches = searchesOf(response, searchCalls(response.output))
  const sealed = Array.isArray(response.output) ? response.output.filter(isObject).flatMap(sealedIn) : []
  return {
    body: edited(body, answerChanges(edits, typeof response.model === 'string')),
    usage: settleUsage(readUsage(response.usage, delivered), delivered, searches, { inputBytes, scale: estimator, isOver: true }),
    ...(typeof response.service_tier === 'string' && { tier: response.service_tier }),
    end: isLength(response) ? 'length' : 'complete',
    ...(sealed.length > 0 && { sealed }),
    ...createdIn(response),
  }
}

/** The object of a body that is a response and did not fail. */
export function parseResponse(body: string): Record<string, unknown> {
  const response = parse(body)
  if (isObject(response) && isObject(response.error)) throw readFailure(response.error)
  if (!isObject(response) || !Array.isArray(response.output)) throw notAnAnswer()
  if (response.status === 'failed' || response.status === 'cancelled') throw readFailure(response.error)
  return response
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

function edited(body: string, changes: FieldChanges): string {
  const spans = changes.size === 0 ? undefined : scanFields(body)
  return spans ? splice(body, fieldEdits(body, spans, changes)) : body
}
