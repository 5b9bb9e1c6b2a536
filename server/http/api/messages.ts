/** Endpoints of the Messages protocol. */

import type { Route, Visit } from '#http/request/route'
import { versionHeaders } from '#http/request/spoken'
import { GatewayError } from '#shared/errors'
import { count, generate, type RelayServices } from './relay-route.ts'

/** Throws `invalid_request` (400) unless a version of the form YYYY-MM-DD was sent. */
export function requireVersion({ request }: Visit): void {
  const [partner, usual] = versionHeaders
  const version = request.headers.get(partner) ?? request.headers.get(usual)
  if (version === null) throw new GatewayError('invalid_request', 'The header anthropic-version is required.')
  if (!/^\d{4}-\d{2}-\d{2}$/.test(version.trim()))
    throw new GatewayError('invalid_request', 'The header anthropic-version must be a date: YYYY-MM-DD.')
}

/** `/v1/messages` and `/v1/messages/count_tokens`. */
export function anthropicRoutes(services: RelayServices): Route[] {
  return [
    {
      method: 'POST',
      path: '/v1/messages/count_tokens',
      envelope: 'messages',
      slow: true,
      handle: (visit) => count(services, visit, { dialect: 'messages', before: () => requireVersion(visit) }),
    },
    {
      method: 'POST',
      path: '/v1/messages',
      envelope: 'messages',
      slow: true,
      handle: (visit) => generate(services, visit, { dialect: 'messages', before: () => requireVersion(visit) }),
    },
  ]
}
