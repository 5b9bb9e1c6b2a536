/**
 * One error class and one table that maps each code to status, blame and retry. Every refusal in Parley is a GatewayError,
 * which each protocol renders in its own envelope. Anything else that is thrown becomes `internal_error` where HTTP leaves
 * the server.
 */
/** Whose fault a failure is. Only `upstream` counts against a channel. */
export type Blame = 'client' | 'gateway' | 'upstream'

/** Whether the relay may try again: never, the same candidate, or another one. */
export type Retry = 'never' | 'same' | 'other'

/** OpenAI's `error.type`; the other protocols derive theirs from status and code. */
export type ErrorType =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'permission_error'
  | 'rate_limit_error'
  | 'insufficient_quota'
  | 'server_error'

interface Row {
  status: number
  type: ErrorType
  blame: Blame
  retry: Retry
}

const client = (status: number, type: ErrorType = 'invalid_request_error'): Row => ({ status, type, blame: 'client', retry: 'never' })
const gateway = (status: number): Row => ({ status, type: 'server_error', blame: 'gateway', retry: 'never' })
const upstream = (status: number, type: ErrorType = 'server_error'): Row => ({ status, type, blame: 'upstream', retry: 'other' })

/** Every error code with its HTTP status, type, blame and retry class. */
export const errorTable = {
  invalid_request: client(400),
  invalid_json: client(400),
  invalid_value: client(400),
  missing_field: client(400),
  unknown_field: client(400),
  ambiguous_field: client(400),
  key_required: client(400),
  unsupported_value: client(400),
  unpriced_field: client(400),
  weak_password: client(400),
  invalid_code: client(400),
  unsupported_endpoint: client(400),
  unsupported_here: client(400),
  unsupported_in_playground: client(400),
  bad_host: client(400),
  invalid_api_key: client(401),
  conflicting_credentials: client(401),
  not_signed_in: client(401),
  invalid_credentials: client(401),
  invalid_setup_token: client(401),
  not_permitted: client(403),
  second_factor_required: client(403),
  reauthentication_required: client(403),
  quota_exceeded: client(403),
  bad_origin: client(403),
  group_not_allowed: client(403),
  team_not_allowed: client(403),
  address_not_allowed: client(403),
  not_found: client(404),
  model_not_found: client(404),
  method_not_allowed: client(405),
  body_timeout: client(408),
  setup_done: client(409),
  body_elsewhere: client(409),
  body_incomplete: client(409),
  body_redacted: client(409),
  not_replayable: client(409),
  body_unreadable: gateway(500),
  name_taken: client(409),
  managed_by_file: client(409),
  still_in_use: client(409),
  idempotency_conflict: client(409),
  code_used: client(409),
  plan_running: client(409),
  refund_too_large: client(409),
  balance_too_low: client(409),
  request_too_large: client(413),
  unsupported_media_type: client(415),
  misdirected_request: client(421),
  rate_limit_exceeded: client(429, 'rate_limit_error'),
  too_many_attempts: client(429, 'rate_limit_error'),
  insufficient_quota: client(429, 'insufficient_quota'),
  client_closed_request: client(499),
  internal_error: gateway(500),
  books_unavailable: gateway(503),
  journal_full: gateway(503),
  overloaded: gateway(503),
  no_channel_available: gateway(503),
  upstream_rejected: { ...client(400), blame: 'client' },
  upstream_auth_failed: upstream(502),
  upstream_error: upstream(502),
  upstream_timeout: upstream(504),
  upstream_rate_limited: upstream(429, 'rate_limit_error'),
} as const satisfies Record<string, Row>

/** An error code. */
export type ErrorCode = keyof typeof errorTable

/** Optional details of a refusal. */
export interface ErrorDetail {
  /** Overrides the table's status; only for an upstream status that is passed on. */
  status?: number
  /** The code a client sees, when an upstream's own code is passed on. */
  publicCode?: string | null
  /** The type a client sees, when an upstream's own type is passed on. */
  publicType?: string
  /** The field that is wrong, as a path in the caller's body. */
  param?: string
  /** Overrides the table's retry class; only for an upstream status that another channel may not share (404). */
  retry?: Retry
  /** Seconds, for Retry-After. */
  retryAfter?: number
  /** What an upstream's own envelope says besides, scrubbed: only the dialect that has such a field writes it. */
  kept?: { innererror?: unknown; fieldViolations?: readonly { field: string; description: string }[] }
  cause?: unknown
}

/** The only thing Parley throws on purpose. `message` is written for the caller and never repeats what was received. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError'
  readonly code: ErrorCode
  readonly status: number
  readonly type: string
  readonly blame: Blame
  readonly retry: Retry
  readonly publicCode: string | null
  readonly param: string | undefined
  readonly retryAfter: number | undefined
  /** See ErrorDetail. */
  readonly kept: ErrorDetail['kept']

  constructor(code: ErrorCode, message: string, detail: ErrorDetail = {}) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause })
    const row = errorTable[code]
    this.code = code
    this.status = detail.status ?? row.status
    this.type = detail.publicType ?? row.type
    this.blame = row.blame
    this.retry = detail.retry ?? row.retry
    this.publicCode = detail.publicCode === undefined ? publicName(code) : detail.publicCode
    this.param = detail.param
    this.retryAfter = detail.retryAfter
    this.kept = detail.kept
  }
}

/** The code a client sees: an upstream's 429 is `rate_limit_exceeded` to the caller. */
function publicName(code: ErrorCode): string {
  if (code === 'upstream_rate_limited') return 'rate_limit_exceeded'
  if (code === 'upstream_rejected') return 'invalid_request'
  return code
}

/** Whether callers see this code, so that the page about errors has a place for it: `#error-` and the code. */
export const isDocumented = (code: string): boolean =>
  Object.hasOwn(errorTable, code) && code !== 'client_closed_request' && publicName(code as ErrorCode) === code

/** `thrown` as a GatewayError. Anything unexpected becomes `internal_error`, without its message. */
export function asGatewayError(thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError) return thrown
  return new GatewayError('internal_error', 'An internal error occurred in Parley. Its log has the details under the request id.', {
    cause: thrown,
  })
}
