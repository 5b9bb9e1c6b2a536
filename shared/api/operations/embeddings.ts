/** Embeddings, in the formats of OpenAI and of Google. */
import { OneOf, Type } from '../../typebox.ts'
import { Described, ModelName, NotEmpty, Open, OrNull, TokenUsage, Whole } from '../fields.ts'

const Tokens = Type.Array(Whole(), { minItems: 1 })
const Input = Type.Union([NotEmpty(), Tokens, Type.Array(Type.Union([NotEmpty(), Tokens, Open({})]), { minItems: 1 })])

const options = {
  input: Described(Input, 'Text or tokens, or a list of them. Long lists are split as the upstream needs and put together again.'),
  dimensions: OrNull(Whole(1)),
  encoding_format: OrNull(OneOf(['float', 'base64'])),
  user: OrNull(Type.String()),
}

/** POST /v1/embeddings */
export const EmbeddingsRequest = Open({ model: ModelName(), ...options })

/** POST /v1/engines/{model}/embeddings, whose address names the model. */
export const EngineEmbeddingsRequest = Open(options)

/** Response of the OpenAI endpoints. */
export const EmbeddingList = Open({
  object: Type.Literal('list'),
  data: Type.Array(
    Open({
      object: Type.Literal('embedding'),
      index: Whole(),
      embedding: Described(
        Type.Union([Type.Array(Type.Number()), Type.String()]),
        'Numbers, or 32-bit floats, lowest byte first, in base64.',
      ),
    }),
  ),
  model: Type.String(),
  usage: TokenUsage,
})

const Embedding = Open({ values: Type.Array(Type.Number()) })
/** Response of :embedContent. */
export const EmbedContentResponse = Open({ embedding: Embedding })
/** Response of :batchEmbedContents. */
export const BatchEmbedResponse = Open({ embeddings: Type.Array(Embedding) })
