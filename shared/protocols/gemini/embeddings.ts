/** Requests for embeddings as Google writes them and Parley reads them. Tolerant: everything else passes to the upstream untouched. */
import { type Static, Type } from '../../typebox.ts'
import { GeminiContent } from './generate-content.ts'

const Open = <T extends Parameters<typeof Type.Object>[0]>(properties: T) => Type.Object(properties, { additionalProperties: true })

const options = {
  taskType: Type.Optional(Type.String()),
  title: Type.Optional(Type.String()),
  outputDimensionality: Type.Optional(Type.Union([Type.Integer({ minimum: 1 }), Type.String(), Type.Null()])),
}

/** POST /v1beta/models/{model}:embedContent */
export const GeminiEmbedRequest = Open({
  content: GeminiContent,
  ...options,
  embedContentConfig: Type.Optional(Open(options)),
  model: Type.Optional(Type.String({ description: 'Repeats the model of the address' })),
})
export type GeminiEmbedRequest = Static<typeof GeminiEmbedRequest>

/** POST /v1beta/models/{model}:batchEmbedContents */
export const GeminiBatchEmbedRequest = Open({
  requests: Type.Array(GeminiEmbedRequest, { minItems: 1 }),
  model: Type.Optional(Type.String({ description: 'Repeats the model of the address' })),
})
export type GeminiBatchEmbedRequest = Static<typeof GeminiBatchEmbedRequest>
