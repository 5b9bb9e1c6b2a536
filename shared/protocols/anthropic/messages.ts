/**
 * A Messages request as Parley reads it: the fields that the specification gives a type. Tolerant on purpose: everything else
 * passes to the upstream untouched.
 */
import { Int, type Static, Type } from '../../typebox.ts'

const Open = <T extends Parameters<typeof Type.Object>[0]>(properties: T) => Type.Object(properties, { additionalProperties: true })
const OrNull = <T extends Parameters<typeof Type.Optional>[0]>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))
const Blocks = Type.Union([Type.String(), Type.Array(Open({ type: Type.String() }))])

export const MessagesMessage = Open({ role: Type.String({ minLength: 1 }), content: Blocks })
export type MessagesMessage = Static<typeof MessagesMessage>

const fields = {
  model: Type.String({ minLength: 1, maxLength: 256 }),
  messages: Type.Array(MessagesMessage, { minItems: 1 }),
  system: OrNull(Blocks),
  temperature: OrNull(Type.Number({ minimum: 0, maximum: 1 })),
  top_p: OrNull(Type.Number()),
  top_k: OrNull(Int(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)),
  stream: OrNull(Type.Boolean()),
  stop_sequences: OrNull(Type.Array(Type.String())),
}

/** POST /v1/messages */
export const MessagesRequest = Open({ ...fields, max_tokens: Int(1, Number.MAX_SAFE_INTEGER) })
export type MessagesRequest = Static<typeof MessagesRequest>

/** POST /v1/messages/count_tokens */
export const CountTokensRequest = Open(fields)
export type CountTokensRequest = Static<typeof CountTokensRequest>
