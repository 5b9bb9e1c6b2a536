/** Moderation endpoint. A request that names no model uses the one from the settings. */

import type { Route } from '#http/request/route'
import { answer } from './operation-route.ts'
import type { RelayServices } from './relay-route.ts'

/** What the moderation endpoint needs from the program. */
export interface ModerationServices extends RelayServices {
  moderationModel(): string
}

/** `/v1/moderations`. */
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
          model: { rule: 'default', name: services.moderationModel() },
        }),
    },
  ]
}
