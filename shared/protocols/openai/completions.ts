/**
 * A Completions request as Parley reads it: the fields it acts on, for the API document. Tolerant on purpose: everything else
 * passes to the upstream untouched.
 */
import { Int, type Static, Type } from '../../typebox.ts'

const OrNull = <T extends Parameters<typeof Type.Optional>[0]>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))

const Tokens = Type.Array(Int(0, Number.MAX_SAFE_INTEGER), { minItems: 1 })

/** POST /v1/completions */
export const CompletionsRequest = Type.Object(
  {
    model: Type.String({ minLength: 1, maxLength: 256 }),
    prompt: OrNull(Type.Union([Type.String(), Tokens, Type.Array(Type.String(), { minItems: 1 }), Type.Array(Tokens, { minItems: 1 })])),
    stream: OrNull(Type.Boolean()),
    stream_options: OrNull(Type.Object({ include_usage: Type.Optional(Type.Boolean()) }, { additionalProperties: true })),
    n: OrNull(Int(1, 128)),
    best_of: OrNull(Int(1, 128)),
    max_tokens: OrNull(Int(0, Number.MAX_SAFE_INTEGER)),
    user: OrNull(Type.String()),
  },
  { additionalProperties: true },
)
export type CompletionsRequest = Static<typeof CompletionsRequest>
