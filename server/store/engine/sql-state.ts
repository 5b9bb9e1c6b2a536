/** Classifies database errors, the same way for both engines. */
import { GatewayError } from '#shared/errors'

/** SQLSTATE unique_violation. */
export const uniqueViolation = '23505'
/** SQLSTATE foreign_key_violation. */
export const foreignKeyViolation = '23503'
/** SQLSTATE check_violation. */
export const checkViolation = '23514'
/** SQLSTATE numeric_value_out_of_range: a sum exceeds its column. */
export const outOfRange = '22003'
/** SQLSTATE lock_not_available. */
export const lockNotAvailable = '55P03'
/** SQLSTATE cannot_connect_now: the server starts, recovers or shuts down. */
export const cannotConnectNow = '57P03'

/** The SQLSTATE of anything thrown by a query, or undefined when it has none. */
export function sqlState(thrown: unknown): string | undefined {
  return codes(thrown).find((code) => /^(?=.*\d)[0-9A-Z]{5}$/.test(code))
}

/** Transient states: connection lost, no resources, shutting down, read-only after a failover. */
const passing = /^(08|53|57P|25006|57014|55P03)/
/** Error codes of the driver and the socket for a lost connection. */
const unconnected = /^(CONNECT|ECONN|EPIPE|ENOTFOUND|EAI_|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ERR_SOCKET)/

/** Converts a connection fault to `books_unavailable` (503, retry after a second); returns anything else unchanged. */
export function asBooksError(thrown: unknown): unknown {
  if (thrown instanceof GatewayError || !codes(thrown).some((code) => passing.test(code) || unconnected.test(code))) return thrown
  return new GatewayError('books_unavailable', 'The accounts cannot be reached at the moment. Nothing was charged. Try again shortly.', {
    retryAfter: 1,
    cause: thrown,
  })
}

/** Drivers wrap errors: the code may be anywhere in the chain of causes. */
function codes(thrown: unknown): string[] {
  const found: string[] = []
  for (let error = thrown, depth = 0; error instanceof Error && depth < 5; error = error.cause, depth++) {
    if ('code' in error && typeof error.code === 'string') found.push(error.code)
  }
  return found
}
