/** Rerank endpoint: accepts requests of both Jina and Cohere clients, and responds in Jina's format. */

import type { Route } from '#http/request/route'
import { answer } from './operation-route.ts'
import type { RelayServices } from './relay-route.ts'

/** `/v1/rerank`. */
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
