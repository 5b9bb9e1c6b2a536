/** Embeddings endpoints in OpenAI's style: the current one, and the older one with the model in its path. */

import { answer } from '#http/api/operation-route'
import type { RelayServices } from '#http/api/relay-route'
import type { Route, Visit } from '#http/request/route'
import { GatewayError } from '#shared/errors'

const asked = { operation: 'embed', style: 'openai' } as const

/** `{model}/embeddings`, where the name may contain slashes. The path's model wins over the body's. */
async function byEngine(services: RelayServices, visit: Visit): Promise<Response> {
  const model = /^(.+)\/embeddings$/.exec(visit.params['*'] ?? '')?.[1]
  if (model === undefined) throw new GatewayError('not_found', 'There is nothing at this address.')
  return answer(services, visit, { ...asked, model: { rule: 'engine', name: model } })
}

/** `/v1/embeddings` and `/v1/engines/{model}/embeddings`. */
export function embeddingRoutes(services: RelayServices): Route[] {
  const post = (path: string, handle: Route['handle']): Route => ({ method: 'POST', path, envelope: 'chat', slow: true, handle })
  return [post('/v1/embeddings', (visit) => answer(services, visit, asked)), post('/v1/engines/*', (visit) => byEngine(services, visit))]
}
