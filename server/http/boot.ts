/** What the port answers before the house stands. */

import { errorResponse } from '#http/request/respond'
import { GatewayError } from '#shared/errors'
import { live, ready } from './health.ts'

export function bootAnswer(request: Request): Response {
  const path = URL.canParse(request.url) ? new URL(request.url).pathname : ''
  if (path === '/healthz') return live()
  if (path === '/readyz') return ready('starting')
  return errorResponse(new GatewayError('overloaded', 'Parley is starting.', { retryAfter: 1 }), 'chat')
}
