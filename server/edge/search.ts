/** The door for the web search of code agents. */
import { answer } from './operation-door.ts'
import type { RelayServices } from './relay-door.ts'
import type { Route } from './route.ts'

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
