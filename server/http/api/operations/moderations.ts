/** Moderation endpoint. A request that names no model uses the one from the settings. */

import { answer } from '#http/api/operation-route'
import type { RelayServices } from '#http/api/relay-route'
import type { Route } from '#http/request/route'

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
