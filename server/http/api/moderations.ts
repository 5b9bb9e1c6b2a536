/** The door that judges texts and pictures. A request that names no model gets the one of the settings. */

import type { Route } from '#http/request/route'
import { withModerationModel } from '#protocols/operations'
import { answer } from './operation-route.ts'
import { type RelayServices, readJsonText } from './relay-route.ts'

export interface ModerationServices extends RelayServices {
  moderationModel(): string
}

export function moderationRoutes(services: ModerationServices): Route[] {
  return [
    {
      method: 'POST',
      path: '/v1/moderations',
      envelope: 'chat',
      slow: true,
      handle: (visit) =>
        answer(services, visit, {
          operation: 'moderate',
          style: 'openai',
          read: async ({ request }) => ({
            content: withModerationModel(await readJsonText(request, services), services.moderationModel()),
          }),
        }),
    },
  ]
}
