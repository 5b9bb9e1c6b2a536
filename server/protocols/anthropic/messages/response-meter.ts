/** A whole Messages answer: checked, counted, and returned under the model name that the client asked for. */

import type { AnswerEdits, StateRef, WholeAnswer } from '#canonical/codec'
import { type Delivered, needsTexts, nothingDelivered, settled, textBytes } from '#canonical/delivered'
import { carriesBeside } from '#canonical/has-content'
import type { TokenEstimator } from '#canonical/token-estimator'
import type { Usage } from '#canonical/usage'
import { addStateRefs, uniqueRefs } from '#protocols/codec/head'
import { GatewayError } from '#shared/errors'
import { isObject } from '#shared/json'
import { parseObject, scanFields } from '#wire/json-scan'
import { type FieldChange, fieldEdits, splice } from '#wire/splice'
import { readInnerError } from '../error.ts'
import { type Json, jsonText } from '../frame.ts'
import { isLength } from './finish.ts'
import { readUsage, writeUsage } from './usage.ts'

/** An answer with its list of blocks. Throws GatewayError `upstream_error`, or the error inside a successful response. */
export function parseAnswer(body: string): Json & { content: unknown[] } {
  const answer = parseObject(body)
  if (answer && (answer.type === 'error' || carries(answer.error))) throw readInnerError(answer.error)
  if (answer && hasContent(answer)) return answer
  throw new GatewayError('upstream_error', 'The upstream sent an answer that is not a Messages answer.')
}

const hasContent = (answer: Json): answer is Json & { content: unknown[] } => Array.isArray(answer.content)

/** A whole answer on its way through: the model's name put back, missing figures filled in, usage settled. Throws as parseAnswer does. */
export function readWhole(body: string, edits: AnswerEdits, inputBytes: number, estimator?: TokenEstimator): WholeAnswer {
  const answer = parseAnswer(body)
  let delivered = nothingDelivered()
  for (const block of answer.content) measure(block, delivered)
  const reported = readUsage(answer.usage, delivered)
  if (needsTexts(reported, estimator)) {
    delivered = nothingDelivered(estimator)
    for (const block of answer.content) measure(block, delivered)
  }
  const usage = settled(reported, delivered, { inputBytes, scale: estimator, isOver: true })
  return {
    body: edited(body, answer, edits, usage),
    usage,
    end: isLength(answer.stop_reason) ? 'length' : 'complete',
    ...createdIn(answer.container, answer.content.filter(isToolResult), edits.keepsAnswer ? answer.id : undefined),
  }
}

const isToolResult = (block: unknown) => isObject(block) && typeof block.type === 'string' && block.type.endsWith('_tool_result')

/**
 * State that the upstream stores: the container of the answer, files that tools created in it, and the answer itself if its id is given.
 */
export function createdIn(container: unknown, results: readonly unknown[], id?: unknown): { created?: StateRef[] } {
  const created: StateRef[] = []
  if (typeof id === 'string' && id !== '') created.push({ kind: 'message', id })
  if (isObject(container) && typeof container.id === 'string') created.push({ kind: 'container', id: container.id })
  addStateRefs(results, created)
  return created.length > 0 ? { created: uniqueRefs(created) } : {}
}

function edited(body: string, answer: Json, { model }: AnswerEdits, charged: Usage): string {
  const changes = new Map<string, FieldChange>()
  if (model !== undefined && typeof answer.model === 'string') changes.set('model', () => JSON.stringify(model))
  if (figures.some((figure) => !isObject(answer.usage) || typeof answer.usage[figure] !== 'number'))
    changes.set('usage', (usage) => withFigures(usage, writeUsage(charged)))
  const spans = changes.size > 0 ? scanFields(body) : undefined
  return spans ? splice(body, fieldEdits(body, spans, changes)) : body
}

/** Figures that every Messages answer must have; upstreams that only resemble the vendor leave some out. */
const figures = ['input_tokens', 'output_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens']

/** Missing figures are filled in as they are charged. */
function withFigures(usage: string | undefined, charged: Json): string {
  const spans = usage === undefined ? undefined : scanFields(usage)
  if (usage === undefined || !spans) return JSON.stringify(charged)
  const filled = figures.map((figure): [string, FieldChange] => [
    figure,
    (json) => (json === undefined || json === 'null' ? String(charged[figure]) : json),
  ])
  return splice(usage, fieldEdits(usage, spans, new Map(filled)))
}

/** True when a piece carries more than its place and name. */
export const carries = carriesBeside(new Set(['type', 'index']))

/** Adds the bytes of one block or delta to the running counters. Calls count by their names and arguments. */
export function measure(piece: unknown, delivered: Delivered): void {
  if (!isObject(piece)) return
  for (const text of [piece.text, piece.partial_json]) delivered.text += textBytes(text, delivered)
  if (isObject(piece.input)) {
    delivered.text += textBytes(piece.name, delivered)
    if (carries(piece.input)) delivered.text += textBytes(jsonText(piece.input), delivered)
  }
  delivered.reasoning += textBytes(piece.thinking, delivered)
}
