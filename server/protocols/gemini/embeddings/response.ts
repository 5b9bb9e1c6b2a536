/** Answers with embeddings in Google's format: one, or a list in the order of the requests. Usage comes from newer models only. */
import type { AnswerEdits, WholeAnswer } from '#canonical/codec'
import {
  assertOneEach,
  type EmbeddingAnswer,
  type EmbeddingPart,
  type EmbeddingQuestion,
  estimated,
  inputTokens,
  joinParts,
  type Vector,
} from '#canonical/operation/embedding'
import type { ReadOperation, WrittenAnswer } from '#canonical/operation/operation'
import { lossList } from '#protocols/codec/field-writers'
import { knownFields, unknownFields } from '#protocols/codec/known-fields'
import { GatewayError } from '#shared/errors'
import { parseObject } from '#wire/json-scan'
import { readInnerError } from '../error.ts'
import { type Body, numeric, pick, pickObject, pickObjects } from '../proto-json.ts'
import { nothingDelivered, readUsage } from '../usage.ts'
import type { EmbeddingHead } from './request.ts'

const noEmbeddings = () => new GatewayError('upstream_error', 'The upstream sent an answer that holds no embeddings.')

/** The bytes pass unchanged: they name no model. Throws GatewayError `upstream_error` when they hold no embeddings. */
export function readWhole(body: string, _edits: AnswerEdits, asked: EmbeddingHead): WholeAnswer {
  const { vectors, usage } = partOf(body)
  assertOneEach(vectors.length, asked.inputs)
  return { body, usage: usage ?? estimated(asked.tokens), end: 'complete' }
}

/** The answers to all parts of a question as one. Throws GatewayError `upstream_error` when a body holds no embeddings. */
export function readAnswer(bodies: readonly string[], question: EmbeddingQuestion): ReadOperation<EmbeddingAnswer> {
  const losses = lossList()
  const tell = unknownFields(losses)
  const parts = bodies.map((body) => partOf(body, (answer) => tell(answer, known)))
  const answer = joinParts(parts, question)
  return { answer, usage: answer.usage, losses: losses.losses }
}

const vector = knownFields('values')
const known = knownFields('usageMetadata usage_metadata', { embedding: vector, embeddings: vector })

function partOf(body: string, look: (answer: Body) => void = () => undefined): EmbeddingPart {
  const answer = parseObject(body)
  if (answer && pick(answer, 'error') !== undefined) throw readInnerError(pick(answer, 'error'))
  if (!answer) throw noEmbeddings()
  look(answer)
  const single = pickObject(answer, 'embedding')
  const vectors = (single ? [single] : pickObjects(answer, 'embeddings')).map(vectorOf)
  if (vectors.length === 0) throw noEmbeddings()
  return { vectors, usage: readUsage(pick(answer, 'usageMetadata'), nothingDelivered())?.usage }
}

function vectorOf(embedding: Body): Vector {
  const values = pick(embedding, 'values')
  if (!Array.isArray(values) || values.length === 0) throw noEmbeddings()
  return values.map((value: unknown) => {
    const number = typeof value === 'number' ? value : numeric(value)
    if (number === undefined) throw noEmbeddings()
    return number
  })
}

/** The body for a Google client. Usage is only included if the upstream reported it. */
export function writeAnswer({ vectors, usage }: EmbeddingAnswer, { batch }: EmbeddingQuestion): WrittenAnswer {
  const embeddings = vectors.map((values) => ({ values }))
  const reported = usage.provenance === 'provider' && { usageMetadata: { promptTokenCount: inputTokens(usage) } }
  return { body: JSON.stringify({ ...(batch ? { embeddings } : { embedding: embeddings[0] }), ...reported }), losses: [] }
}
