/** Headers of error answers, the same for every protocol. */
import type { GatewayError } from '#shared/errors'

/** Public codes that a retry cannot change; SDKs would otherwise retry because of the status. */
const final = new Set([
  'insufficient_quota',
  'model_not_found',
  'invalid_api_key',
  'conflicting_credentials',
  'address_not_allowed',
  'not_signed_in',
  'not_permitted',
  'group_not_allowed',
  'team_not_allowed',
  'upstream_auth_failed',
])

/** Headers for SDKs about retrying. */
export function errorHeaders({ publicCode, retryAfter }: GatewayError): Record<string, string> {
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  if (final.has(publicCode ?? '')) headers['x-should-retry'] = 'false'
  if (retryAfter !== undefined) headers['retry-after'] = String(Math.ceil(retryAfter))
  return headers
}
