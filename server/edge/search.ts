/** The door for the web search of code agents. */
import { answer } from './operation-door.ts'
import type { RelayDoor } from './relay-door.ts'
import type { Route } from './route.ts'

export function searchRoutes(door: RelayDoor): Route[] {
  return [
    {
      method: 'POST',
      path: '/v1/alpha/search',
      envelope: 'chat',
      slow: true,
      handle: (visit) => answer(door, visit, { operation: 'search', style: 'openai' }),
    },
  ]
}
