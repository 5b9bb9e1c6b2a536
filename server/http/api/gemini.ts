/** Endpoints of the Gemini protocol: `{model}:{action}` under both prefixes. */

import type { Route, Visit } from '#http/request/route'
import { geminiActions, geminiArray, namesGeminiAction } from '#protocols/index'
import type { Reply } from '#relay/contract/ask'
import type { Source } from '#runtime/outgoing-body'
import { GatewayError } from '#shared/errors'
import { answer } from './operation-route.ts'
import { count, generate, type RelayServices } from './relay-route.ts'

/** Server-sent events rewritten as one JSON array, which is closed properly however the stream ends. Heartbeats are white space. */
function asArray(reply: Reply): Reply {
  if (typeof reply.body === 'string' || !('next' in reply.body)) return reply
  const { body: events, ...rest } = { ...reply, body: reply.body }
  const joiner = geminiArray()
  let ended = false
  const body: Source = {
    async next() {
      while (!ended) {
        const bytes = await events.next()
        ended = bytes === undefined
        const joined = bytes === undefined ? joiner.end() : joiner.push(bytes)
        if (joined.byteLength > 0) return joined
      }
      return undefined
    },
    close: () => events.close(),
  }
  return { ...rest, contentType: 'application/json; charset=utf-8', body, heartbeat: new TextEncoder().encode('\n') }
}

/** Serves a further action, `path` being `{model}:{action}`; undefined for unknown ones. */
export type FurtherAction = (visit: Visit, path: string) => Promise<Response> | undefined

function act(services: RelayServices, visit: Visit, further: FurtherAction | undefined): Promise<Response> {
  const path = visit.params['*'] ?? ''
  const answered = further?.(visit, path)
  if (answered) return answered
  const { action } = geminiActions(path)
  switch (action) {
    case 'generateContent':
      return generate(services, visit, { dialect: 'gemini', path })
    case 'streamGenerateContent': {
      const events = visit.url.searchParams.get('alt')?.toLowerCase() === 'sse'
      return generate(services, visit, events ? { dialect: 'gemini', path } : { dialect: 'gemini', path, framed: asArray })
    }
    case 'countTokens':
      return count(services, visit, { dialect: 'gemini', path })
    case 'embedContent':
      return answer(services, visit, { operation: 'embed', style: 'gemini', path })
    case 'batchEmbedContents':
      return answer(services, visit, { operation: 'embed', style: 'gemini', path, variant: 'batch' })
    case 'predict':
      return answer(services, visit, { operation: 'image', style: 'gemini', path, variant: 'predict' })
    case 'predictLongRunning':
      throw new GatewayError('unsupported_here', 'Videos are not made here.')
  }
}

/** Every `{model}:{action}` endpoint under `/v1beta/models` and `/v1/models`. */
export function geminiRoutes(services: RelayServices, further?: FurtherAction): Route[] {
  return ['/v1beta/models/*', '/v1/models/*'].map((path) => ({
    method: 'POST' as const,
    path,
    envelope: 'gemini' as const,
    slow: true,
    serves: ({ pathname }: Pick<URL, 'pathname'>) => namesGeminiAction(pathname),
    handle: async (visit: Visit) => act(services, visit, further),
  }))
}
