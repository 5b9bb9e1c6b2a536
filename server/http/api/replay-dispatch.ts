/**
 * The entry for replays: the same routes as for any client, called with a visit whose caller is known. So a replay is parsed, held for,
 * sent, stored and settled by the same code as any request.
 */
import { captured, errorResponse } from '#http/request/respond'
import type { Route, Visit } from '#http/request/route'
import type { ReplayDispatch } from '#replay/dispatch'
import { asGatewayError, GatewayError } from '#shared/errors'

/** Endpoints whose requests can be replayed: one request, one answer, no side effects. */
const replayed: ReadonlySet<string> = new Set([
  '/v1/chat/completions',
  '/v1/completions',
  '/v1/responses',
  '/v1/responses/compact',
  '/v1/messages',
  '/v1beta/interactions',
  '/v1/interactions',
  '/v1beta/models/*',
  '/v1/models/*',
  '/v1/embeddings',
  '/v1/engines/*',
  '/v1/rerank',
  '/v2/rerank',
  '/v1/moderations',
  '/v1/images/generations',
  '/v1/images/edits',
  '/v1/images/variations',
  '/v1/audio/speech',
  '/v1/audio/transcriptions',
  '/v1/audio/translations',
  '/ollama/api/chat',
  '/ollama/api/generate',
  '/ollama/api/embed',
  '/ollama/api/embeddings',
  '/model/:model/converse',
  '/model/:model/converse-stream',
])

/** A placeholder: it is never resolved, and no endpoint reads it. */
const here = 'http://replay.invalid'

const noEndpoint = () => new GatewayError('not_replayable', 'Requests to this address cannot be replayed.')

/** The parameters of a path by a pattern: `:name` for one segment, `*` for the rest. Undefined: no match. */
function paramsIn(pattern: string, path: string): Visit['params'] | undefined {
  const names: string[] = []
  const form = pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replace(/:(\w+)|\*/g, (_, name: string | undefined) => {
    names.push(name ?? '*')
    return name === undefined ? '(.+)' : '([^/]+)'
  })
  const found = new RegExp(`^${form}$`).exec(path)
  return found ? Object.fromEntries(names.map((name, index) => [name, decodeURIComponent(found[index + 1] ?? '')])) : undefined
}

/** The replay entry to these routes. */
export function createReplayDispatch(routes: readonly Route[]): ReplayDispatch {
  const endpoints = routes.filter(({ method, path }) => method === 'POST' && replayed.has(path))

  function endpointOf(path: string): { route: Route; params: Visit['params'] } {
    for (const route of endpoints) {
      const params = paramsIn(route.path, path)
      if (params) return { route, params }
    }
    throw noEndpoint()
  }

  return async ({ requestId, address, headers, body, model, caller, of, channel, owner, signal }) => {
    const url = new URL(address, here)
    const { route, params } = endpointOf(url.pathname)
    const left = new AbortController()
    const leave = () => left.abort(signal.reason)
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave, { once: true })
    const asked = [...headers.filter(([name]) => name !== 'content-length'), ['content-length', String(body.byteLength)]] as [
      string,
      string,
    ][]
    const request = new Request(url, { method: 'POST', headers: asked, body: new Uint8Array(body), signal: left.signal })
    const visit: Visit = {
      ...{ request, url, params, requestId },
      clientAddress: '',
      replay: { caller, of, owner, ...(channel !== undefined && { channel }) },
      addressed: model === undefined ? undefined : { model: { rule: 'engine', name: model } },
    }
    try {
      return await route.handle(visit)
    } catch (thrown) {
      const envelope = typeof route.envelope === 'function' ? route.envelope(visit) : route.envelope
      const response = errorResponse(asGatewayError(thrown), envelope, requestId)
      return visit.capture ? captured(visit.capture, response) : response
    }
  }
}
