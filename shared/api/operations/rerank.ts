/** Rerank: requests are the union of what clients of Jina and of Cohere send; responses have Jina's format. */
import { Type } from '../../typebox.ts'
import { ModelName, NotEmpty, Open, OrNull, TokenUsage, Whole } from '../fields.ts'

/** POST /v1/rerank */
export const RerankRequest = Open({
  model: ModelName(),
  query: NotEmpty(),
  documents: Type.Array(Type.Union([Type.String(), Open({ text: Type.String() })]), { minItems: 1, maxItems: 10_000 }),
  top_n: OrNull(Whole(1)),
  return_documents: OrNull(Type.Boolean()),
  max_tokens_per_doc: OrNull(Whole()),
  priority: OrNull(Whole()),
})

/** Response of POST /v1/rerank. */
export const RerankAnswer = Open({
  model: Type.Optional(Type.String()),
  results: Type.Array(Open({ index: Whole(), relevance_score: Type.Number(), document: Type.Optional(Open({})) })),
  usage: Type.Optional(TokenUsage),
})

/** Response of POST /v2/rerank. */
export const CohereRerankAnswer = Open({
  id: Type.Optional(Type.String()),
  results: Type.Array(Open({ index: Whole(), relevance_score: Type.Number() })),
  meta: Type.Optional(Open({ billed_units: Type.Optional(Open({ search_units: Type.Optional(Type.Number()) })) })),
})
