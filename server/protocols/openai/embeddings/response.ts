/** Answers with embeddings in OpenAI's format: checked, counted, and returned in the requested vector format. */
import type { AnswerEdits, WholeAnswer } from '#canonical/codec'
import { nothingDelivered } from '#canonical/delivered'
import {
  assertOneEach,
  type EmbeddingAnswer,
  type EmbeddingPart,
  type EmbeddingQuestion,
  estimated,
  inputTokens,
  joinParts,
  type VectorFormat,
} from '#canonical/operation/embedding'
import type { ReadOperation, WrittenAnswer } from '#canonical/operation/operation'
import type { Usage } from '#canonical/usage'
import { lossList } from '#protocols/codec/field-writers'
import { knownFields, type UnknownFields, unknownFields } from '#protocols/codec/known-fields'
import { GatewayError } from '#shared/errors'
import { isObject } from '#shared/json'
import { parseObject, scanFields } from '#wire/json-scan'
import { type FieldChange, fieldEdits, splice } from '#wire/splice'
import { readInnerError } from '../error.ts'
import type { Body } from '../fields.ts'
import { bounded, readUsage } from '../usage.ts'
import type { EmbeddingHead } from './request.ts'
import { isWrittenAs, readVector, writeVector } from './vectors.ts'

const noEmbeddings = () => new GatewayError('upstream_error', 'The upstream sent an answer that holds no embeddings.')

/** The bytes pass, except for the model's name and for vectors in another format than requested. */
export function readWhole(body: string, edits: AnswerEdits, asked: EmbeddingHead): WholeAnswer {
  const { answer, data } = parseAnswer(body)
  assertOneEach(data.length, asked.inputs)
  const changes = new Map<string, FieldChange>()
  const { format } = asked
  if (format !== undefined && data.some(({ embedding }) => isOther(embedding, format))) {
    changes.set('data', () => JSON.stringify(data.map((item) => inFormat(item, format))))
  }
  const { model } = edits
  if (model !== undefined && typeof answer.model === 'string') changes.set('model', () => JSON.stringify(model))
  const spans = changes.size > 0 ? scanFields(body) : undefined
  return {
    body: spans ? splice(body, fieldEdits(body, spans, changes)) : body,
    usage: usageOf(answer) ?? estimated(asked.tokens),
    end: 'complete',
  }
}

/** A vector in the other format than requested. Unknown forms of some services are left unchanged. */
const isOther = (embedding: unknown, format: VectorFormat) =>
  (typeof embedding === 'string' || Array.isArray(embedding)) && !isWrittenAs(embedding, format)

function inFormat(item: Body, format: VectorFormat): Body {
  if (!isOther(item.embedding, format)) return item
  const vector = readVector(item.embedding)
  if (!vector) throw noEmbeddings()
  return { ...item, embedding: writeVector(vector, format) }
}

function parseAnswer(body: string): { answer: Body; data: Body[] } {
  const answer = parseObject(body)
  if (isObject(answer?.error) || typeof answer?.error === 'string') throw readInnerError(answer.error)
  if (!answer || !Array.isArray(answer.data) || !answer.data.every(isObject)) throw noEmbeddings()
  return { answer, data: answer.data }
}

/** Some services only report the total. */
function usageOf({ usage }: Body): Usage | undefined {
  if (!isObject(usage)) return undefined
  const read = readUsage({ ...usage, prompt_tokens: usage.prompt_tokens ?? usage.total_tokens }, nothingDelivered())
  return read && { ...read.usage, raw: bounded(usage) }
}

/** The answers to all batches of a question as one. Throws GatewayError `upstream_error` when a vector is missing. */
export function readAnswer(bodies: readonly string[], question: EmbeddingQuestion): ReadOperation<EmbeddingAnswer> {
  const losses = lossList()
  const tell = unknownFields(losses)
  const answer = joinParts(
    bodies.map((body) => partOf(body, tell)),
    question,
  )
  return { answer, usage: answer.usage, losses: losses.losses }
}

/** Known fields of an answer; the others are metadata. */
const known = knownFields('object model usage id created', { data: knownFields('object index embedding') })

function partOf(body: string, tell: UnknownFields): EmbeddingPart {
  const { answer, data } = parseAnswer(body)
  tell(answer, known)
  const vectors = inOrder(data).map(({ embedding }) => {
    const vector = readVector(embedding)
    if (!vector) throw noEmbeddings()
    return vector
  })
  return { vectors, usage: usageOf(answer) }
}

/** Ordered by index, if each has a distinct one; else unchanged. */
function inOrder(data: readonly Body[]): readonly Body[] {
  const byIndex = new Map(data.map((item) => [item.index, item]))
  const sorted = data.map((_, index) => byIndex.get(index))
  return sorted.every((item) => item !== undefined) ? sorted : data
}

/** The answer in the requested format. */
export function writeAnswer({ vectors, usage }: EmbeddingAnswer, { model, format }: EmbeddingQuestion): WrittenAnswer {
  const tokens = inputTokens(usage)
  const data = vectors.map((vector, index) => ({ object: 'embedding', index, embedding: writeVector(vector, format) }))
  const answer = { object: 'list', data, model, usage: { prompt_tokens: tokens, total_tokens: tokens } }
  return { body: JSON.stringify(answer), losses: [] }
}
