/** The OpenAI doors: chat completions. */
import { generate, type RelayDoor } from './relay-door.ts'
import type { Route } from './route.ts'

export function openaiRoutes(door: RelayDoor): Route[] {
  return [
    {
      method: 'POST',
      path: '/v1/chat/completions',
      envelope: 'chat',
      slow: true,
      handle: (visit) => generate(door, visit, { dialect: 'chat' }),
    },
  ]
}
