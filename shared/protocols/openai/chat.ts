/**
 * A Chat request as Parley reads it: the fields it acts on, for the client and the API document. Tolerant on purpose:
 * everything else passes to the upstream untouched.
 */
import { Int, type Static, Type } from '../../typebox.ts'

const Open = <T extends Parameters<typeof Type.Object>[0]>(properties: T) => Type.Object(properties, { additionalProperties: true })
const OrNull = <T extends Parameters<typeof Type.Optional>[0]>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))

export const ChatMessage = Open({
  role: Type.String(),
  content: OrNull(Type.Union([Type.String(), Type.Array(Open({ type: Type.String() }))])),
})
export type ChatMessage = Static<typeof ChatMessage>

/** POST /v1/chat/completions */
export const ChatRequest = Open({
  model: Type.String({ minLength: 1, maxLength: 256 }),
  messages: Type.Array(ChatMessage, { minItems: 1 }),
  stream: OrNull(Type.Boolean()),
  stream_options: OrNull(Open({ include_usage: Type.Optional(Type.Boolean()) })),
  n: OrNull(Int(1, 128)),
  max_tokens: OrNull(Int(1, Number.MAX_SAFE_INTEGER)),
  max_completion_tokens: OrNull(Int(1, Number.MAX_SAFE_INTEGER)),
  prompt_cache_key: Type.Optional(Type.String()),
  user: Type.Optional(Type.String()),
})
export type ChatRequest = Static<typeof ChatRequest>
