/** A whole answer of Chat or Completions: checked, counted, and returned under the model name that the client asked for. */
import type { AnswerEdits, WholeAnswer } from '#canonical/codec'
import { type Delivered, needsTexts, nothingDelivered, settled } from '#canonical/delivered'
import type { TokenEstimator } from '#canonical/token-estimator'
import { isObject } from '#shared/json'
import { scanFields } from '#wire/json-scan'
import { fieldEdits, splice } from '#wire/splice'
import { readAnswer } from './answer.ts'
import { soundIn } from './choice.ts'
import type { Body } from './fields.ts'
import { readUsage } from './usage.ts'

/** Throws GatewayError `upstream_error`, or the error inside a successful response. */
export function readWholeAnswer(
  body: string,
  edits: AnswerEdits,
  inputBytes: number,
  measure: (choice: Body, delivered: Delivered) => void,
  estimator?: TokenEstimator,
): WholeAnswer {
  const answer = readAnswer(body)
  const choices = answer.choices.filter(isObject)
  let delivered = nothingDelivered()
  for (const choice of choices) measure(choice, delivered)
  const reported = readUsage(answer.usage, delivered)
  if (needsTexts(reported, estimator)) {
    delivered = nothingDelivered(estimator)
    for (const choice of choices) measure(choice, delivered)
  }
  const created = choices.flatMap(soundIn)
  return {
    body: typeof answer.model === 'string' ? renamed(body, edits.model) : body,
    usage: settled(reported, delivered, { inputBytes, scale: estimator, isOver: true }),
    ...(typeof answer.service_tier === 'string' && { tier: answer.service_tier }),
    end: choices.some((choice) => choice.finish_reason === 'length') ? 'length' : 'complete',
    ...(created.length > 0 && { created }),
  }
}

function renamed(body: string, model: string | undefined): string {
  const spans = model === undefined ? undefined : scanFields(body)
  return spans ? splice(body, fieldEdits(body, spans, new Map([['model', () => JSON.stringify(model)]]))) : body
}
