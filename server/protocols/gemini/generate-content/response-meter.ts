/** A whole Gemini answer: checked, counted, and returned under the model name that the client asked for. */
import type { AnswerEdits, WholeAnswer } from '#canonical/codec'
import { soundTokens, textBytes } from '#canonical/delivered'
import type { TokenEstimator } from '#canonical/token-estimator'
import { GatewayError } from '#shared/errors'
import { isObject } from '#shared/json'
import { scanFields } from '#wire/json-scan'
import { type FieldChange, type FieldChanges, fieldEdits, splice } from '#wire/splice'
import { readInnerError } from '../error.ts'
import { type Body, pick, pickObject, pickObjects, pickText } from '../proto-json.ts'
import { type Delivered, nothingDelivered, readUsage, settleUsage } from '../usage.ts'

/** A whole answer on its way through: the model's name put back, usage settled. Throws as parseAnswer does. */
export function readWhole(body: string, edits: AnswerEdits, inputBytes: number, estimator?: TokenEstimator): WholeAnswer {
  const answer = parseAnswer(body)
  const delivered = nothingDelivered(estimator)
  const candidates = pickObjects(answer, 'candidates')
  for (const candidate of candidates) measure(candidate, delivered)
  return {
    body: renamed(body, edits.model),
    usage: settleUsage(readUsage(pick(answer, 'usageMetadata'), delivered), delivered, { inputBytes, scale: estimator, isOver: true }),
    end: candidates.some((candidate) => finishOf(candidate) === 'MAX_TOKENS') ? 'length' : 'complete',
  }
}

/**
 * The object of a whole answer: it has candidates, or the reason why it has none. Throws GatewayError `upstream_error`, or the error inside
 * a successful response.
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

/** Replaces the upstream's model name by the one that the client used, wherever there is one. */
export function modelChange(model: string | undefined): FieldChanges {
  const name = JSON.stringify(model)
  const change: FieldChange = (json) => (json?.startsWith('"') ? name : json)
  return model === undefined ? new Map() : new Map(['modelVersion', 'model_version'].map((field) => [field, change]))
}

/** Candidates beyond this are counted with the first, so that no upstream can fill the memory. */
const mostCandidates = 128

/** The number of a candidate. */
export function placeOf(candidate: Body): number {
  const index = pick(candidate, 'index')
  return typeof index === 'number' && Number.isInteger(index) && index > 0 && index < mostCandidates ? index : 0
}

/** The finish reason of a candidate; undefined while it goes on. */
export const finishOf = (candidate: Body): string | undefined => finishWord(pickText(candidate, 'finishReason'))

/** A `finishReason` that means something. */
export const finishWord = (reason: string | undefined): string | undefined =>
  reason === '' || reason === 'FINISH_REASON_UNSPECIFIED' ? undefined : reason

/** Why the prompt was refused, in an answer without candidates. */
export function blockOf(answer: Body): string | undefined {
  const feedback = pickObject(answer, 'promptFeedback')
  const reason = feedback && pickText(feedback, 'blockReason')
  return reason === '' || reason === 'BLOCKED_REASON_UNSPECIFIED' ? undefined : reason
}

/** The parts of a candidate; empty when it has none. */
export const partsOf = (candidate: Body): Body[] => pickObjects(pickObject(candidate, 'content') ?? {}, 'parts')

/** True when this answer's candidates have content: text, a call, a picture, any filled field, a finish. */
export function carries(answer: Body): boolean {
  if (blockOf(answer) !== undefined) return true
  return pickObjects(answer, 'candidates').some((candidate) => finishOf(candidate) !== undefined || partsOf(candidate).some(isFilled))
}

/** True for a part with more than flags and empty texts. */
function isFilled(part: Body): boolean {
  return Object.entries(part).some(([key, value]) => key !== 'thought' && value !== '' && value !== null && value !== undefined)
}

/** Adds one candidate's output to the running counters. Calls count by their names and arguments; searches are a running total. */
export function measure(candidate: Body, delivered: Delivered): void {
  for (const part of partsOf(candidate)) {
    const text = textBytes(pickText(part, 'text'), delivered)
    if (part.thought === true) delivered.reasoning += text
    else delivered.text += text + callBytes(part, delivered)
    measureData(pickObject(part, 'inlineData'), delivered)
  }
  const queries = pick(pickObject(candidate, 'groundingMetadata') ?? {}, 'webSearchQueries')
  if (Array.isArray(queries)) delivered.searches = Math.max(delivered.searches, queries.length)
}

function measureData(data: Body | undefined, delivered: Delivered): void {
  const type = (data && pickText(data, 'mimeType')) ?? ''
  if (type.startsWith('image/')) delivered.images++
  if (data && type.startsWith('audio/')) delivered.sound += soundTokens(pickText(data, 'data') ?? '', type)
}

/** Calls of tools, and code that the model runs itself. */
function callBytes(part: Body, delivered: Delivered): number {
  const code = textBytes(pickText(pickObject(part, 'executableCode') ?? {}, 'code'), delivered)
  const call = pickObject(part, 'functionCall')
  if (!call) return code
  const args = pickObject(call, 'args') ?? pick(call, 'partialArgs')
  return code + textBytes(pickText(call, 'name'), delivered) + textBytes(args && JSON.stringify(args), delivered)
}
