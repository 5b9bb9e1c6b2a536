/** Responses while Parley is still starting. */

import { errorResponse } from '#http/request/respond'
import { GatewayError } from '#shared/errors'
import { live, ready } from './health.ts'

/** Health endpoints answer `starting`; every other request gets a 503 with `Retry-After`. */
export function bootAnswer(request: Request): Response {
  const path = URL.canParse(request.url) ? new URL(request.url).pathname : ''
  if (path === '/healthz') return live()
  if (path === '/readyz') return ready('starting')
  return errorResponse(new GatewayError('overloaded', 'Parley is starting.', { retryAfter: 1 }), 'chat')
}
