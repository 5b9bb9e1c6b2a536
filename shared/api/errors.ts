/** Errors: their envelopes, and the meaning of every code. */
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

/** The envelope of Ollama. */
export const OllamaError = Type.Object({ error: Type.String() })

/** The envelope of Bedrock; the kind is in the header `x-amzn-errortype`. */
export const ConverseError = Type.Object({ message: Type.String() })

/** For each code, what happened and what to do. Printed in the API reference. */
export const errorWords: Readonly<Record<ErrorCode, string>> = {
  invalid_request: 'The request is malformed, or an upstream refused it. The message says why.',
  invalid_json: 'The body is not valid JSON, or is nested too deeply.',
  invalid_value: 'The value of a field is not allowed; `param` names the field.',
  missing_field: 'A required field is missing; `param` names it.',
  unknown_field: 'The console does not know this field; `param` names it.',
  ambiguous_field:
    'The body has a duplicate name in an object, or a name that differs from a known one only in case or spelling. Other parsers would read it differently.',
  key_required: 'Changing the base URL of a channel requires its keys to be entered again.',
  weak_password: 'The password is common, or little more than a name. Choose one that is hard to guess.',
  invalid_code: 'The code cannot be redeemed: it is mistyped, used, revoked, expired, or for someone else.',
  unpriced_field:
    'The request uses something that the upstream charges extra for and the model’s price does not cover; `param` names the field.',
  unsupported_value: 'No channel of the model supports this, or strict mode refuses a lossy conversion; `param` names the field.',
  unsupported_endpoint: 'No channel of the model serves this endpoint.',
  unsupported_here: 'Parley does not serve this. The message says what would be needed, or what to use instead.',
  unsupported_in_playground: 'The playground supports text only.',
  bad_host: 'The Host header or the URL is malformed.',
  invalid_api_key: 'The key is missing, wrong, expired or disabled.',
  conflicting_credentials: 'The request has two different API keys. Send only one.',
  not_signed_in: 'Sign in first.',
  invalid_credentials: 'The name or the password is wrong.',
  invalid_setup_token: 'The token is not the one that was printed at startup.',
  not_permitted: 'Your role, or the settings, do not allow this; the message says who may.',
  second_factor_required: 'The installation requires a second factor. Add one in your account, then continue.',
  reauthentication_required:
    'Operations on secrets and money need a proof of identity from the last 15 minutes: `POST /api/session/proof`, then repeat the call. Management keys are exempt.',
  quota_exceeded: 'A quota of the account is used up; the message names it. Delete something, or ask an administrator.',
  bad_origin: 'The request came from a page of another site. Nothing was changed.',
  group_not_allowed: 'The group does not exist, or you may not use it.',
  team_not_allowed: 'The team does not exist, or you may not spend from it.',
  address_not_allowed: 'The key is limited to other addresses than the one the request came from.',
  not_found: 'There is nothing at this address, or you may not see it.',
  model_not_found: 'The model is not available to the group or the key, or has no price.',
  method_not_allowed: 'The address does not support this method. The Allow header lists those it does.',
  body_elsewhere: 'The body of this request is in the files of another instance. Ask that one.',
  body_incomplete: 'The body of this request was stored only in part, so it cannot be sent again.',
  body_redacted: 'Part of the body of this request was blanked before it was stored, so it cannot be sent again.',
  not_replayable: 'Requests of this kind cannot be replayed, or not with these changes.',
  body_unreadable: 'The body of this request cannot be read: its file is missing or damaged.',
  body_timeout: 'The body did not arrive in time. Send it again.',
  setup_done: 'Setup is already done. Sign in.',
  name_taken: 'The name is already in use. Choose another.',
  managed_by_file: 'This is declared in parley.yaml and can be changed only there.',
  still_in_use: 'It cannot be deleted, because something else still uses it.',
  idempotency_conflict: 'This Idempotency-Key or reference was already used for a different request.',
  code_used: 'You have already redeemed this code. It was credited once.',
  plan_running: 'Another plan is running. The code stays valid; redeem it when that plan has ended.',
  refund_too_large: 'The refund exceeds what is left of its credit after earlier refunds.',
  balance_too_low: 'The wallet has too little for the refund. `partial: true` takes what is left.',
  request_too_large: 'The body, or a file in it, is too large.',
  unsupported_media_type: 'The address does not accept bodies of this content type.',
  misdirected_request: 'This host name is not served here. The operator can allow it with PARLEY_ALLOWED_HOSTS.',
  rate_limit_exceeded: 'Too many requests, tokens or concurrent requests. Retry after the time in Retry-After.',
  too_many_attempts: 'Too many failed attempts to sign in or to redeem a code. Retry after the time in Retry-After.',
  insufficient_quota:
    'The balance or a budget does not cover the highest possible cost of the request, or the rest of its answer. Only what was answered is charged.',
  client_closed_request: 'The client closed the connection. Appears only in the log.',
  internal_error: 'An internal error occurred in Parley. Its log has the details under the request id.',
  books_unavailable: 'The ledger is unreachable right now. Retry shortly.',
  journal_full: 'The ledger is unreachable and the journal is full. Nothing was charged. Retry shortly.',
  overloaded: 'Parley is starting, shutting down or overloaded. Retry shortly.',
  no_channel_available:
    'Every channel of the model is switched off, or is resting after failures and already has as many trial requests as it takes.',
  upstream_rejected: 'The upstream refused the request. Its status is passed on.',
  upstream_auth_failed: 'The upstream refused the channel’s key. The operator has to fix it.',
  upstream_error: 'The upstream failed. Retrying may help.',
  upstream_timeout: 'The upstream did not answer in time.',
  upstream_rate_limited:
    'The upstreams of all channels are rate limited. They are tried again after the time that they named, at most a minute.',
}

/** Codes that may also end an answer that has begun, as an event of its stream: what was delivered by then is charged. */
export const endsAnswers: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'invalid_api_key',
  'not_signed_in',
  'group_not_allowed',
  'team_not_allowed',
  'model_not_found',
  'insufficient_quota',
  'internal_error',
  'books_unavailable',
  'overloaded',
  'upstream_error',
  'upstream_timeout',
  'upstream_rate_limited',
])

const passing: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'rate_limit_exceeded',
  'too_many_attempts',
  'books_unavailable',
  'journal_full',
  'overloaded',
  'no_channel_available',
  'upstream_rate_limited',
])
const uncertain: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['body_timeout', 'internal_error', 'upstream_error', 'upstream_timeout'])

/** Whether the same request may succeed later: after the time in `Retry-After`, perhaps, or not. */
export function retryOf(code: ErrorCode): 'later' | 'maybe' | 'no' {
  if (passing.has(code)) return 'later'
  return uncertain.has(code) ? 'maybe' : 'no'
}
