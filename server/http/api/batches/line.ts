/**
 * A request of a batch, sent to its endpoint as if its caller had sent it: the same parsing, limits, money, conversion and
 * log row. The endpoint's answer is stored before it is charged.
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

/** Dependencies. */
export interface LineServices extends StoredResponseServices {
  moderationModel(): string
}

/** The version header that Messages requests need; it was checked when their batch was created. */
const version = '2023-06-01'

/** Whether a route answers at an endpoint. */
const fits = (path: string, endpoint: string) => (path.endsWith('*') ? endpoint.startsWith(path.slice(0, -1)) : endpoint === path)

/** Sends batch requests to these endpoints. */
export function createAskLine(services: LineServices): AskLine {
  const never = new AbortController().signal

  /** The route of the endpoint, and its path parameters. */
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
