/**
 * Embeddings of Voyage AI: like OpenAI's except for the names of options, and without tokens as input. No endpoint has this style. Read:
 * https://docs.voyageai.com/docs/embeddings and the types of the package voyageai (`output_dimension`, `encoding_format` is `base64` or
 * nothing).
 */
import type { Target } from '#canonical/codec'
import type { EmbeddingAnswer, EmbeddingQuestion } from '#canonical/operation/embedding'
import type { OperationUpstream, WrittenOperation } from '#canonical/operation/operation'
import { lossList } from '#protocols/codec/field-writers'
import { GatewayError } from '#shared/errors'
import { isObject } from '#shared/json'
import { embeddingCodec } from './codec.ts'

function inOwnWords({ body, ...rest }: WrittenOperation): WrittenOperation {
  if (!isObject(body)) return { body, ...rest }
  const { dimensions, encoding_format: _, user: __, ...others } = body as Record<string, unknown>
  return { ...rest, body: { ...others, ...(dimensions !== undefined && { output_dimension: dimensions }) } }
}

function writeQuestion(question: EmbeddingQuestion, target: Target) {
  const tokens = question.inputs.find(({ content }) => content.kind === 'tokens')
  if (tokens) throw new GatewayError('unsupported_value', 'This upstream embeds text, not tokens.', { param: tokens.path })
  const losses = lossList()
  if (question.own.user !== undefined) losses.leftOut('user', 'This upstream has no field for the end user.')
  const { requests, losses: others } = embeddingCodec.writeQuestion(question, target)
  const [first, ...more] = requests
  return {
    requests: [inOwnWords(first), ...more.map(inOwnWords)] as [WrittenOperation, ...WrittenOperation[]],
    losses: [...others, ...losses.losses],
  }
}

/** Writes questions for Voyage and reads its answers. */
export const voyageEmbeddings: OperationUpstream<EmbeddingQuestion, EmbeddingAnswer> = {
  style: 'voyage',
  writeQuestion,
  readAnswer: embeddingCodec.readAnswer,
  readError: embeddingCodec.readError,
}
