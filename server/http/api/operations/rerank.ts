/** Rerank endpoints: one for clients of both Jina and Cohere, which answers in Jina's format, and Cohere's second version, in its own. */

import { answer } from '#http/api/operation-route'
import type { RelayServices } from '#http/api/relay-route'
import type { Route } from '#http/request/route'

/** `/v1/rerank` and `/v2/rerank`. */
export function rerankRoutes(services: RelayServices): Route[] {
  const styles = { '/v1/rerank': 'jina', '/v2/rerank': 'cohere' } as const
  return Object.entries(styles).map(
    ([path, style]): Route => ({
      method: 'POST',
      path,
      envelope: 'chat',
      slow: true,
      handle: (visit) => answer(services, visit, { operation: 'rerank', style }),
    }),
  )
}
