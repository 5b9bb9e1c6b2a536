/** What every protocol's refusal says in its headers. */
import type { GatewayError } from '#shared/errors'

/** The public codes that no second try can change; SDKs would otherwise try again by the status alone. */
const final = new Set([
  'insufficient_quota',
  'model_not_found',
  'invalid_api_key',
  'conflicting_credentials',
  'not_signed_in',
  'not_permitted',
  'group_not_allowed',
  'upstream_auth_failed',
])

export function errorHeaders({ publicCode, retryAfter }: GatewayError): Record<string, string> {
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  if (final.has(publicCode ?? '')) headers['x-should-retry'] = 'false'
  if (retryAfter !== undefined) headers['retry-after'] = String(Math.ceil(retryAfter))
  return headers
}
