/**
 * A request of a batch, asked at the endpoint that it is for as if its caller had sent it: the same reading, limits, money, conversion and
 * row in the log. What the endpoint answers is written down before it is charged.
 */
import type { AskLine, LineAsk } from '#batches/batch-runner'
import { geminiRoutes } from '#http/api/gemini'
import { anthropicRoutes } from '#http/api/messages'
import { openaiRoutes, type StoredResponseServices } from '#http/api/openai'
import { embeddingRoutes } from '#http/api/operations/embeddings'
import { moderationRoutes } from '#http/api/operations/moderations'
import type { Route } from '#http/request/route'
import { errorWriters } from '#protocols/index'
import type { Ask } from '#relay/contract/ask'
import { asGatewayError } from '#shared/errors'

/** What asking requests of batches needs. */
export interface LineServices extends StoredResponseServices {
  moderationModel(): string
}

/** What the headers of a request of Messages must say; its batch was made with them. */
const version = '2023-06-01'

/** Whether a route answers at an endpoint. */
const fits = (path: string, endpoint: string) => (path.endsWith('*') ? endpoint.startsWith(path.slice(0, -1)) : endpoint === path)

/** Asks at these endpoints. */
export function createAskLine(services: LineServices): AskLine {
  const never = new AbortController().signal

  /** The route that answers at the endpoint, and what of that its address says. */
  function routeFor({ caller, batch, kept }: LineAsk): { route: Route; params: Record<string, string> } | undefined {
    const ofBatch = (ask: Ask): Ask => ({ ...ask, batch: batch.id, kept })
    const own = {
      ...services,
      accounts: { admitKey: () => caller },
      relay: (ask: Ask) => services.relay(ofBatch(ask)),
      keeping: Object.assign((ask: Ask) => services.keeping(ofBatch(ask)), { continued: services.keeping.continued }),
    }
    const routes = [...openaiRoutes(own), ...anthropicRoutes(own), ...embeddingRoutes(own), ...moderationRoutes(own), ...geminiRoutes(own)]
    const route = routes.find(({ method, path }) => method === 'POST' && fits(path, batch.endpoint))
    return route && { route, params: { '*': batch.endpoint.slice(route.path.length - 1) } }
  }

  return async (line) => {
    const { batch, requestId, body } = line
    try {
      const found = routeFor(line)
      if (!found) throw new Error('a batch for no endpoint')
      const url = new URL(batch.endpoint, 'http://batch.invalid')
      const headers = { authorization: 'Bearer sk-batch', 'content-type': 'application/json', 'anthropic-version': version }
      const request = new Request(url, { method: 'POST', headers, body, signal: never })
      await (await found.route.handle({ request, url, params: found.params, requestId, clientAddress: '' })).body?.cancel()
      return undefined
    } catch (thrown) {
      const error = asGatewayError(thrown)
      const written = errorWriters[batch.words](error, requestId)
      return { error, answer: { status: written.status, body: String(written.body) } }
    }
  }
}
