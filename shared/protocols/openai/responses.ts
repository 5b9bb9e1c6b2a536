/**
 * A Responses request as Parley reads it: the fields it acts on, for the client and the API document. Tolerant on purpose:
 * everything else passes to an upstream of the same dialect untouched.
 */
import { Int, type Static, Type } from '../../typebox.ts'

const Open = <T extends Parameters<typeof Type.Object>[0]>(properties: T) => Type.Object(properties, { additionalProperties: true })
const OrNull = <T extends Parameters<typeof Type.Optional>[0]>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))

/** Messages, calls, results, reasoning, references; kinds that are not known are allowed. */
export const ResponsesItem = Open({ type: OrNull(Type.String()), id: OrNull(Type.String()) })
export type ResponsesItem = Static<typeof ResponsesItem>

/** POST /v1/responses */
export const ResponsesRequest = Open({
  model: Type.String({ minLength: 1, maxLength: 256 }),
  /** May be missing where a previous response, a conversation or a prompt says what to answer. */
  input: OrNull(Type.Union([Type.String(), Type.Array(ResponsesItem)])),
  instructions: OrNull(Type.String()),
  stream: OrNull(Type.Boolean()),
  store: OrNull(Type.Boolean()),
  previous_response_id: OrNull(Type.String()),
  max_output_tokens: OrNull(Int(1, Number.MAX_SAFE_INTEGER)),
  prompt_cache_key: OrNull(Type.String()),
  safety_identifier: OrNull(Type.String()),
  user: OrNull(Type.String()),
})
export type ResponsesRequest = Static<typeof ResponsesRequest>
