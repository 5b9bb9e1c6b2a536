/** The rerank door: clients of Jina and of Cohere ask alike, and are answered as Jina answers. */

import type { Route } from '#http/request/route'
import { answer } from './operation-route.ts'
import type { RelayServices } from './relay-route.ts'

export function rerankRoutes(services: RelayServices): Route[] {
  return [
    {
      method: 'POST',
      path: '/v1/rerank',
      envelope: 'chat',
      slow: true,
      handle: (visit) => answer(services, visit, { operation: 'rerank', style: 'jina' }),
    },
  ]
}
