/** The web search endpoint of coding agents. */

import type { Route } from '#http/request/route'
import { answer } from './operation-route.ts'
import type { RelayServices } from './relay-route.ts'

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
