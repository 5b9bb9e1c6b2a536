/**
 * Embeddings of Vertex, through `predict`: instances with settings of their own, one size for all. No endpoint has this style.
 * Read: https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/text-embeddings-api and
 * https://cloud.google.com/vertex-ai/generative-ai/docs/embeddings/get-text-embeddings (one text at a time for gemini-embedding-001).
 */
import type { Target } from '#canonical/codec'
import type { LossList } from '#canonical/loss'
import {
  batchesOf,
  type EmbeddingAnswer,
  type EmbeddingInput,
  type EmbeddingPart,
  type EmbeddingQuestion,
  joinParts,
} from '#canonical/operation/embedding'
import type { OperationUpstream, WrittenOperation } from '#canonical/operation/operation'
import { noUsage } from '#canonical/usage'
import { lossList } from '#protocols/codec/field-writers'
import { knownFields, type UnknownFields, unknownFields } from '#protocols/codec/known-fields'
import { GatewayError } from '#shared/errors'
import { isObject } from '#shared/json'
import { parseObject } from '#wire/json-scan'
import { readError } from '../error.ts'
import { type Body, pickObject, pickText } from '../proto-json.ts'

/** Texts in one request. */
const usualLimit = 250
const takesOne = /^gemini-embedding-001/

function instanceOf({ content, path, raw }: EmbeddingInput, { style }: EmbeddingQuestion): Body {
  if (content.kind !== 'text') throw new GatewayError('unsupported_value', 'This upstream embeds text only.', { param: path })
  const own = style === 'gemini' && isObject(raw) ? raw : {}
  const config = pickObject(own, 'embedContentConfig') ?? {}
  const [taskType, title] = ['taskType', 'title'].map((name) => pickText(config, name) ?? pickText(own, name))
  return {
    content: content.texts.join('\n'),
    ...(taskType && { task_type: taskType }),
    ...(title && { title }),
  }
}

function writeQuestion(question: EmbeddingQuestion, target: Target) {
  const limit = takesOne.test(target.model) ? 1 : usualLimit
  const [first = [], ...rest] = batchesOf(question.inputs, target, limit, (a, b) => a.dimensions !== b.dimensions)
  const write = (inputs: readonly EmbeddingInput[]): WrittenOperation => {
    const dimensions = inputs[0]?.dimensions
    const instances = inputs.map((input) => instanceOf(input, question))
    return { body: { instances, ...(dimensions !== undefined && { parameters: { outputDimensionality: dimensions } }) } }
  }
  const requests: [WrittenOperation, ...WrittenOperation[]] = [write(first), ...rest.map(write)]
  return { requests, losses: question.style === 'gemini' ? [] : question.lostElsewhere }
}

const noEmbeddings = () => new GatewayError('upstream_error', 'The upstream sent an answer that holds no embeddings.')

const statistics = knownFields('token_count truncated')
const embeddings = knownFields('values', { statistics })
/** `metadata` counts characters, by which older models were paid; the rest names the model. */
const known = knownFields('metadata model deployedModelId modelDisplayName modelVersionId', {
  predictions: knownFields('', { embeddings }),
})

function partOf(body: string, tell: UnknownFields, losses: LossList): EmbeddingPart {
  const answer = parseObject(body)
  const predictions = answer?.predictions
  if (!Array.isArray(predictions) || predictions.length === 0) throw noEmbeddings()
  if (answer) tell(answer, known)
  const usage = noUsage()
  let isTold = true
  const vectors = predictions.map((prediction) => {
    const embeddings = isObject(prediction) && isObject(prediction.embeddings) ? prediction.embeddings : {}
    const { values, statistics } = embeddings
    if (!Array.isArray(values) || values.length === 0 || !values.every((one) => typeof one === 'number')) throw noEmbeddings()
    if (isObject(statistics) && statistics.truncated === true)
      losses.altered('input', 'The upstream cut a text that was too long, and embedded its beginning.')
    const tokens = isObject(statistics) ? statistics.token_count : undefined
    if (typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens >= 0) usage.in.fresh += tokens
    else isTold = false
    return values as number[]
  })
  usage.provenance = 'provider'
  return { vectors, ...(isTold && { usage }) }
}

/** Writes questions for Vertex and reads its answers. */
export const predictEmbeddings: OperationUpstream<EmbeddingQuestion, EmbeddingAnswer> = {
  style: 'vertex',
  writeQuestion,
  readAnswer(bodies, question) {
    const losses = lossList()
    const tell = unknownFields(losses)
    const parts = bodies.map((body) => partOf(body, tell, losses))
    const answer = joinParts(parts, question)
    return { answer, usage: answer.usage, losses: losses.losses }
  },
  readError,
}
