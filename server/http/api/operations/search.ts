/** The web search endpoint of coding agents. */

import { answer } from '#http/api/operation-route'
import type { RelayServices } from '#http/api/relay-route'
import type { Route } from '#http/request/route'

/** `/v1/alpha/search`. */
export function searchRoutes(services: RelayServices): Route[] {
  return [
    {
      method: 'POST',
      path: '/v1/alpha/search',
      envelope: 'chat',
      slow: true,
      handle: (visit) => answer(services, visit, { operation: 'search', style: 'openai' }),
    },
  ]
}
