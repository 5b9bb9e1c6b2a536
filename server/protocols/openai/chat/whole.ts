/** A whole Chat answer: checked, counted, and given back under the name that the client asked for. */
import type { AnswerEdits, WholeAnswer } from '#canonical/codec'
import { GatewayError } from '#shared/errors'
import { isObject, scanFields } from '#wire/json-scan'
import { fieldEdits, splice } from '#wire/splice'
import { readInnerError } from '../error.ts'
import { readUsage, settleUsage } from '../usage.ts'
import { carries, measure } from './choice.ts'

/** Throws GatewayError `upstream_error`, or what an `error` object that came with a success means. */
export function readWhole(body: string, edits: AnswerEdits, inputBytes: number): WholeAnswer {
  const answer = parse(body)
  if (isObject(answer) && carries(answer.error)) throw readInnerError(answer.error)
  if (!isObject(answer) || !Array.isArray(answer.choices)) {
    throw new GatewayError('upstream_error', 'The upstream sent an answer that is not a chat answer.')
  }
  const delivered = { text: 0, reasoning: 0 }
  const choices = answer.choices.filter(isObject)
  for (const choice of choices) measure(choice.message, delivered)
  return {
    body: typeof answer.model === 'string' ? renamed(body, edits.model) : body,
    usage: settleUsage(readUsage(answer.usage, delivered), delivered, inputBytes),
    end: choices.some((choice) => choice.finish_reason === 'length') ? 'length' : 'complete',
  }
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
  return spans ? splice(body, fieldEdits(body, spans, new Map([['model', () => JSON.stringify(model)]]))) : body
}
