/** The door that judges texts and pictures. */
import { answer } from './operation-door.ts'
import type { RelayDoor } from './relay-door.ts'
import type { Route } from './route.ts'

export function moderationRoutes(door: RelayDoor): Route[] {
  return [
    {
      method: 'POST',
      path: '/v1/moderations',
      envelope: 'chat',
      slow: true,
      handle: (visit) => answer(door, visit, { operation: 'moderate', style: 'openai' }),
    },
  ]
}
