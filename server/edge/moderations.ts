/** The door that judges texts and pictures. A request that names no model gets the one of the settings. */
import { withModerationModel } from '#protocols/operations'
import { answer } from './operation-door.ts'
import { type RelayDoor, readJsonText } from './relay-door.ts'
import type { Route } from './route.ts'

export interface ModerationDoor extends RelayDoor {
  moderationModel(): string
}

export function moderationRoutes(door: ModerationDoor): Route[] {
  return [
    {
      method: 'POST',
      path: '/v1/moderations',
      envelope: 'chat',
      slow: true,
      handle: (visit) =>
        answer(door, visit, {
          operation: 'moderate',
          style: 'openai',
          read: async ({ request }) => ({ content: withModerationModel(await readJsonText(request, door), door.moderationModel()) }),
        }),
    },
  ]
}
