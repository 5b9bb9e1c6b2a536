/** Refusals: the three envelopes they come in, and what each code means to whoever receives it. */
import type { ErrorCode } from '../errors.ts'
import { Type } from '../typebox.ts'
import { Open } from './fields.ts'

const Code = Type.Union([Type.String(), Type.Null()])

/** The envelope of the OpenAI APIs and the console. */
export const OpenaiError = Open({ error: Open({ message: Type.String(), type: Type.String(), code: Code, param: Code }) })

/** The envelope of the Messages API. */
export const MessagesError = Open({
  type: Type.Literal('error'),
  error: Open({ type: Type.String(), message: Type.String(), code: Type.Optional(Type.String()) }),
  request_id: Type.Optional(Type.String()),
})

/** The envelope of the Gemini API. */
export const GeminiError = Open({
  error: Open({ code: Type.Integer(), message: Type.String(), status: Type.String(), details: Type.Array(Open({})) }),
})

/** What happened and what to do, for each code. Printed in the API reference. */
export const errorWords: Readonly<Record<ErrorCode, string>> = {
  invalid_request: 'The request is not well formed, or an upstream refused it. The message says why.',
  invalid_json: 'The body is not JSON, or nested too deep.',
  invalid_value: 'A field has a value that it cannot have; `param` names it.',
  missing_field: 'A required field is missing; `param` names it.',
  unknown_field: 'The console does not know this field; `param` names it.',
  key_required: 'Whoever changes the address of a channel gives its key again.',
  unsupported_value: 'No channel of the model can do this, or strict mode refuses the loss; `param` names the field.',
  unsupported_endpoint: 'No channel of the model serves this endpoint.',
  unsupported_in_playground: 'The playground takes text only.',
  bad_host: 'The Host header or the address is malformed.',
  invalid_api_key: 'The key is missing, wrong, expired or disabled.',
  conflicting_credentials: 'Two different keys were sent. Send one.',
  not_signed_in: 'Sign in first.',
  invalid_credentials: 'Name and password do not fit.',
  invalid_setup_token: 'The token is not the one that was printed at start.',
  not_permitted: 'Only administrators may do this.',
  bad_origin: 'The page that sent this is not one of Parley.',
  group_not_allowed: 'The group does not exist, or you may not use it.',
  not_found: 'There is nothing at this address, or not for you.',
  model_not_found: 'The group or the key does not have this model, or it has no price.',
  method_not_allowed: 'The address takes other methods; the header Allow names them.',
  body_timeout: 'The body did not arrive in time. Send it again.',
  setup_done: 'Setup has been done. Sign in.',
  name_taken: 'The name is taken.',
  managed_by_file: 'The row comes from parley.yaml and is changed there.',
  still_in_use: 'Something else still needs it.',
  idempotency_conflict: 'This Idempotency-Key was used for something else.',
  request_too_large: 'The body, or a file in it, is too large.',
  unsupported_media_type: 'The body has another type than this address takes.',
  misdirected_request: 'This host name is not served here. The operator allows it with PARLEY_ALLOWED_HOSTS.',
  rate_limit_exceeded: 'Too many requests, tokens or requests at once. Retry-After says when to come back.',
  too_many_attempts: 'Too many failed sign-ins. Wait.',
  insufficient_quota: 'The balance or the budget does not cover the request. Nothing was charged.',
  client_closed_request: 'The client went away. It is in the log only.',
  internal_error: 'Something went wrong inside Parley. The request id finds the details in its log.',
  books_unavailable: 'The accounts cannot be kept right now. Come back soon.',
  journal_full: 'The accounts cannot be kept right now. Come back soon.',
  overloaded: 'Parley starts, stops or has too much to do. Come back soon.',
  no_channel_available: 'Every channel of the model is down or cooling. Retry-After says when to come back.',
  upstream_rejected: 'The upstream refused the request; its status is kept.',
  upstream_auth_failed: 'The upstream refused the key of the channel. The operator has to look at it.',
  upstream_error: 'The upstream failed before any content. Trying again may help.',
  upstream_timeout: 'The upstream did not answer in time.',
  upstream_rate_limited: 'Every channel of the model is limited by its upstream. Retry-After says when to come back.',
}
