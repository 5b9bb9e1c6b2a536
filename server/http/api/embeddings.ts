/** The doors for embeddings in OpenAI's style: the usual one, and the older one that names the model in its address. */

import type { Route, Visit } from '#http/request/route'
import { embeddingsWithModel } from '#protocols/operations'
import { GatewayError } from '#shared/errors'
import { answer } from './operation-route.ts'
import { type RelayServices, readJsonText } from './relay-route.ts'

const asked = { operation: 'embed', style: 'openai' } as const

/** `{model}/embeddings`, where the name may hold slashes. The address counts, not what the body says. */
async function byEngine(services: RelayServices, visit: Visit): Promise<Response> {
  const model = /^(.+)\/embeddings$/.exec(visit.params['*'] ?? '')?.[1]
  if (model === undefined) throw new GatewayError('not_found', 'There is nothing at this address.')
  const read = async ({ request }: Visit) => ({ content: embeddingsWithModel(await readJsonText(request, services), model) })
  return answer(services, visit, { ...asked, read })
}

export function embeddingRoutes(services: RelayServices): Route[] {
  const post = (path: string, handle: Route['handle']): Route => ({ method: 'POST', path, envelope: 'chat', slow: true, handle })
  return [post('/v1/embeddings', (visit) => answer(services, visit, asked)), post('/v1/engines/*', (visit) => byEngine(services, visit))]
}
