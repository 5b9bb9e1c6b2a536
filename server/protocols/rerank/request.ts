/**
 * Rerank: the union of what clients of Jina and of Cohere send, read once for both. The codecs next to this file differ in what they write
 * for their upstreams; answers of either are read by `response.ts`. Must not know channels and prices.
 */

import type { LossList } from '#canonical/loss'
import type { Incoming, OperationHead } from '#canonical/operation/operation'
import type { RerankDocument, RerankQuestion } from '#canonical/operation/rerank'
import { noUsage } from '#canonical/usage'
import { operationNames } from '#protocols/codec/body-names'
import { GatewayError } from '#shared/errors'
import { isObject } from '#shared/json'
import { scanObject } from '#wire/json-scan'

type Body = Record<string, unknown>

export interface RerankHead extends OperationHead {
  question: RerankQuestion
}

/** Cohere's limit, the largest of all. */
const mostDocuments = 10_000

/** A search is one query with up to this many documents. Source: cohere.com/pricing. */
const documentsPerSearch = 100
/** A document longer than that, with the query, counts as several. */
const tokensPerDocument = 500

/** Settings that only Cohere has. */
export const cohereSettings = ['max_tokens_per_doc', 'priority'] as const

/** Settings that are numbers in every style. */
const numbers = [...cohereSettings, 'max_chunks_per_doc', 'overlap_tokens']

const missing = (param: string) => new GatewayError('missing_field', `The field \`${param}\` is required.`, { param })
const wrong = (param: string, rule: string) => new GatewayError('invalid_value', `The field \`${param}\` must be ${rule}.`, { param })
const isAbsent = (value: unknown) => value === undefined || value === null

/** Records a loss if documents have more than their text, because only that is ranked. */
export function lostDocumentFields(documents: readonly RerankDocument[], losses: LossList): void {
  const say = ({ sent }: RerankDocument) => typeof sent === 'object' && Object.keys(sent).some((name) => name !== 'text')
  if (documents.some(say)) losses.leftOut('rerank.documents', 'This upstream gets the texts of documents, not their other fields.')
}

/** The body as JSON text. Throws 415 for a form. */
export function jsonOf(body: Incoming): string {
  if (typeof body === 'string') return body
  throw new GatewayError('unsupported_media_type', 'The body must be JSON.')
}

/** Throws GatewayError 400 with the field's path as `param`; unknown fields pass. */
export function readQuestion(incoming: Incoming): RerankQuestion {
  const { model, query, documents, top_n, return_documents, ...settings } = scanObject(jsonOf(incoming), operationNames).value
  checkNumbers(settings)
  const topN = whole(top_n, 'top_n', 1)
  return {
    model: readModel(model),
    query: readQuery(query),
    documents: readDocuments(documents),
    ...(topN !== undefined && { topN }),
    ...readReturn(return_documents),
    settings,
  }
}

/** Throws GatewayError 400 with the field as `param`. */
export function readHead(incoming: Incoming): RerankHead {
  const body = jsonOf(incoming)
  const question = readQuestion(body)
  const most = noUsage()
  most.in.fresh = tokensOf(question, 2)
  most.units.searches = chunkedSearches(question)
  return {
    model: question.model,
    stream: false,
    n: 1,
    inputBytes: Buffer.byteLength(body),
    usageAsked: false,
    media: [],
    searchAsked: false,
    affinity: [],
    most,
    question,
    ...(cohereSettings.some((setting) => !isAbsent(question.settings[setting])) && { foreign: true }),
  }
}

function readModel(model: unknown): string {
  if (isAbsent(model)) throw missing('model')
  const isName = typeof model === 'string' && model.length > 0 && model.length <= 256 && model.isWellFormed() && !/\p{Cc}/u.test(model)
  if (!isName) throw wrong('model', 'a name of 1 to 256 characters without control characters')
  return model
}

function readQuery(query: unknown): string {
  if (isAbsent(query)) throw missing('query')
  if (typeof query !== 'string' || query.trim() === '') throw wrong('query', 'text that is not empty')
  return query
}

function readDocuments(documents: unknown): RerankDocument[] {
  if (isAbsent(documents)) throw missing('documents')
  const fits = Array.isArray(documents) && documents.length > 0 && documents.length <= mostDocuments
  if (!fits) throw wrong('documents', `a list of 1 to ${mostDocuments} documents`)
  return documents.map(readDocument)
}

function readDocument(sent: unknown, index: number): RerankDocument {
  if (typeof sent === 'string') return { text: sent, sent }
  if (!isObject(sent)) throw wrong(`documents.${index}`, 'text, or an object with `text`')
  if (typeof sent.text !== 'string') throw wrong(`documents.${index}.text`, 'text')
  return { text: sent.text, sent }
}

function readReturn(value: unknown): { returnDocuments?: boolean } {
  if (isAbsent(value)) return {}
  if (typeof value !== 'boolean') throw wrong('return_documents', 'true or false')
  return { returnDocuments: value }
}

function checkNumbers(settings: Body): void {
  for (const name of numbers) whole(settings[name], name, 0)
}

function whole(value: unknown, name: string, least: number): number | undefined {
  if (isAbsent(value)) return undefined
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least) return value
  throw wrong(name, `an integer of at least ${least}`)
}

/** Tokens of all pairs: a reranker reads the query again with every document. */
export function tokensOf(question: RerankQuestion, bytesPerToken: number): number {
  return pairs(question, bytesPerToken).reduce((sum, tokens) => sum + tokens, 0)
}

/** Searches by their definition, for an upstream that does not count them. */
export const searchesOf = ({ documents }: RerankQuestion): number => Math.ceil(documents.length / documentsPerSearch)

/** The most searches that an upstream may report if it counts long documents several times. */
function chunkedSearches(question: RerankQuestion): number {
  const chunks = pairs(question, 2).reduce((sum, tokens) => sum + Math.max(1, Math.ceil(tokens / tokensPerDocument)), 0)
  return Math.ceil(chunks / documentsPerSearch)
}

function pairs({ query, documents }: RerankQuestion, bytesPerToken: number): number[] {
  const asked = Buffer.byteLength(query)
  return documents.map(({ text }) => Math.ceil((asked + Buffer.byteLength(text)) / bytesPerToken))
}
