/** What went wrong in the database, told the same way for both engines. */
import { GatewayError } from '#shared/errors'

export const uniqueViolation = '23505'
export const checkViolation = '23514'
/** A sum beyond what its column holds. */
export const outOfRange = '22003'
export const lockNotAvailable = '55P03'

/** The five-letter SQLSTATE behind anything thrown by a query, or undefined when the database did not speak. */
export function sqlState(thrown: unknown): string | undefined {
  return codes(thrown).find((code) => /^(?=.*\d)[0-9A-Z]{5}$/.test(code))
}

/** States in which the same request may succeed a moment later: connection lost, no resources, shutting down, read-only after a failover. */
const passing = /^(08|53|57P|25006|57014|55P03)/
/** The driver's and the socket's own words for a connection that is not there. */
const unconnected = /^(CONNECT|ECONN|EPIPE|ENOTFOUND|EAI_|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ERR_SOCKET)/

/** A fault of the connection as `books_unavailable` (503, retry after a second); anything else comes back as it was. */
export function asBooksError(thrown: unknown): unknown {
  if (thrown instanceof GatewayError || !codes(thrown).some((code) => passing.test(code) || unconnected.test(code))) return thrown
  return new GatewayError('books_unavailable', 'The accounts cannot be reached at the moment. Nothing was charged. Try again shortly.', {
    retryAfter: 1,
    cause: thrown,
  })
}

/** Drivers wrap: the code sits somewhere along the chain of causes. */
function codes(thrown: unknown): string[] {
  const found: string[] = []
  for (let error = thrown, depth = 0; error instanceof Error && depth < 5; error = error.cause, depth++) {
    if ('code' in error && typeof error.code === 'string') found.push(error.code)
  }
  return found
}
