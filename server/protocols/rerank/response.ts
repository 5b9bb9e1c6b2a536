/**
 * Answers of rerank upstreams, whatever their style: results are checked against the question, and brought into the requested order and
 * number, because not every server sorts, truncates and returns documents as requested.
 */
import type { AnswerEdits, WholeAnswer } from '#canonical/codec'
import type { OperationHead, ReadOperation, WrittenAnswer } from '#canonical/operation/operation'
import type { RerankAnswer, RerankQuestion } from '#canonical/operation/rerank'
import { knownFields, lossesIn } from '#protocols/codec/known-fields'
import { GatewayError } from '#shared/errors'
import { isObject } from '#shared/json'
import { parseObject, scanFields } from '#wire/json-scan'
import { type FieldChange, fieldEdits, splice } from '#wire/splice'
import type { RerankHead } from './request.ts'
import { readUsage } from './usage.ts'

type Fields = Record<string, unknown>

interface Ranked {
  index: number
  score: number
  /** The entry as received. */
  sent: Fields
}

const broken = () => new GatewayError('upstream_error', 'The upstream sent an answer that is not a ranking.')

/** Throws GatewayError `upstream_error` when it is invalid or empty, or ranks unknown documents. */
function readRanking(body: string, { documents }: RerankQuestion): { answer: Fields; ranking: Ranked[] } {
  const answer = parseObject(body)
  if (!answer || !Array.isArray(answer.results)) throw broken()
  const ranking = answer.results.map((entry) => readRanked(entry, documents.length))
  // At least one document was given, and at least one result requested.
  if (ranking.length === 0 || new Set(ranking.map(({ index }) => index)).size < ranking.length) throw broken()
  return { answer, ranking }
}

function readRanked(entry: unknown, documents: number): Ranked {
  if (!isObject(entry)) throw broken()
  const { index } = entry
  // vLLM and others of its kind write `score` in their own endpoints.
  const score = entry.relevance_score ?? entry.score
  const isPlace = typeof index === 'number' && Number.isSafeInteger(index) && index >= 0 && index < documents
  if (!isPlace || typeof score !== 'number' || !Number.isFinite(score)) throw broken()
  return { index, score, sent: entry }
}

const arranged = (ranking: readonly Ranked[], { topN }: RerankQuestion): Ranked[] =>
  [...ranking].sort((a, b) => b.score - a.score).slice(0, topN)

const documentOf = ({ documents }: RerankQuestion, index: number) => {
  const sent = documents[index]?.sent
  return typeof sent === 'string' ? { text: sent } : sent
}

/** Whether this entry has the form that the client wants. */
function isAsRequested({ sent }: Ranked, { returnDocuments }: RerankQuestion): boolean {
  const { document, relevance_score } = sent
  if (relevance_score === undefined) return false
  if (returnDocuments === undefined) return true
  return returnDocuments ? isObject(document) : document === undefined || document === null
}

function rewritten({ index, score, sent }: Ranked, question: RerankQuestion): Fields {
  const { document, score: _score, ...rest } = sent
  const { returnDocuments } = question
  const given = returnDocuments ? documentOf(question, index) : returnDocuments === undefined ? document : undefined
  return { ...rest, index, relevance_score: score, ...(given !== undefined && { document: given }) }
}

/** A ranking of the client's own style: its bytes, unless the client requested another order, number or documents. */
export function readWhole(body: string, { model }: AnswerEdits, { question, priced }: RerankHead): WholeAnswer {
  const { answer, ranking } = readRanking(body, question)
  const requested = arranged(ranking, question)
  const changes = new Map<string, FieldChange>()
  if (model !== undefined) changes.set('model', (json) => (json?.startsWith('"') ? JSON.stringify(model) : json))
  const stands =
    requested.length === ranking.length && requested.every((one, place) => one === ranking[place] && isAsRequested(one, question))
  if (!stands) changes.set('results', () => JSON.stringify(requested.map((one) => rewritten(one, question))))
  const spans = changes.size > 0 ? scanFields(body) : undefined
  return {
    body: spans ? splice(body, fieldEdits(body, spans, changes)) : body,
    usage: readUsage(answer, question, priced),
    end: 'complete',
  }
}

/** Known fields of an answer in any style. Documents are the caller's own, and are returned unchanged. */
const known = knownFields('id object model usage', {
  results: knownFields('index relevance_score score document object'),
  data: knownFields('index relevance_score document object'),
  meta: knownFields('api_version billed_units tokens'),
})

/** Throws GatewayError `upstream_error` when the body does not answer the question. */
export function readAnswer(bodies: readonly string[], question: RerankQuestion, asked?: OperationHead): ReadOperation<RerankAnswer> {
  const { answer, ranking } = readRanking(bodies[0] ?? '', question)
  const usage = readUsage(answer, question, asked?.priced)
  const results = arranged(ranking, question).map(({ index, score }) => ({ index, score }))
  return { answer: { results, tokens: usage.in.fresh }, usage, losses: lossesIn([answer], known) }
}

/** Jina's shape, which is the endpoint's. */
export function writeAnswer({ results, tokens }: RerankAnswer, question: RerankQuestion): WrittenAnswer {
  const written = results.map(({ index, score }) => ({
    index,
    relevance_score: score,
    ...(question.returnDocuments && { document: documentOf(question, index) }),
  }))
  const body = { model: question.model, results: written, usage: { total_tokens: tokens, prompt_tokens: tokens } }
  return { body: JSON.stringify(body), losses: [] }
}
