/** OpenAI endpoints: chat completions, text completions, responses. */

import type { Head } from '#canonical/codec'
import { errorResponse, json } from '#http/request/respond'
import type { Route, Visit } from '#http/request/route'
import type { Ask } from '#relay/contract/ask'
import type { Relay } from '#relay/contract/relay'
import { noResponse, questionOf, type ResponseStore, replayed, type StoredResponse } from '#relay/conversation/stored-responses'
import { GatewayError } from '#shared/errors'
import { admit, generate, type RelayServices } from './relay-route.ts'

/** A stored response by its id, for the tenant that created it. */
export interface StoredResponseServices extends RelayServices {
  /** The relay that stores responses. */
  keeping: (ask: Ask) => ReturnType<Relay>
  reasoningState: ResponseStore
}

async function kept(services: StoredResponseServices, visit: Visit): Promise<StoredResponse> {
  const found = await services.reasoningState.find(admit(services, visit).user.id, visit.params.id ?? '')
  if (!found) throw noResponse('response_id')
  return found
}

/** Whole, or as the stream that it was when it was made. */
async function retrieve(services: StoredResponseServices, visit: Visit): Promise<Response> {
  const { response } = await kept(services, visit)
  const query = visit.url.searchParams
  if (query.get('stream') !== 'true') return json(response)
  const after = query.get('starting_after')
  if (after !== null && !/^\d{1,9}$/.test(after)) {
    throw new GatewayError('invalid_value', 'The parameter `starting_after` must be the number of an event.', { param: 'starting_after' })
  }
  const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' }
  return new Response(replayed(response, after === null ? undefined : Number(after)), { headers })
}

async function forget(services: StoredResponseServices, visit: Visit): Promise<Response> {
  const id = visit.params.id ?? ''
  const tenant = admit(services, visit).user.id
  if (!(await services.reasoningState.forget(tenant, id))) throw noResponse('response_id')
  services.reasoningState.deleted(tenant, [{ kind: 'response', id }])
  return json({ id, object: 'response', deleted: true })
}

/** The input items of a stored response, newest first as the vendor lists them. */
async function inputItems(services: StoredResponseServices, visit: Visit): Promise<Response> {
  const { id, ...exchange } = await kept(services, visit)
  const data = questionOf(exchange).map((item, index) => ({ id: `${id}_item_${index}`, ...(item as object) }))
  const query = visit.url.searchParams
  if (query.get('order') !== 'asc') data.reverse()
  const after = query.get('after')
  const start = after === null ? 0 : data.findIndex((item) => item.id === after) + 1
  if (after !== null && start === 0) {
    throw new GatewayError('invalid_value', 'The parameter `after` is not the id of an item in this list.', { param: 'after' })
  }
  const end = start + pageSize(query.get('limit'))
  const page = data.slice(start, end)
  return json({ object: 'list', data: page, first_id: page[0]?.id ?? null, last_id: page.at(-1)?.id ?? null, has_more: end < data.length })
}

/** Items per page; the vendor's default when absent. */
function pageSize(limit: string | null): number {
  if (limit === null) return 20
  if (/^\d{1,3}$/.test(limit) && Number(limit) >= 1 && Number(limit) <= 100) return Number(limit)
  throw new GatewayError('invalid_value', 'The parameter `limit` must be an integer from 1 to 100.', { param: 'limit' })
}

function refuseStream({ stream }: Head): void {
  if (stream)
    throw new GatewayError('unsupported_value', 'A compaction cannot be streamed. Leave out `stream` or set it to false.', {
      param: 'stream',
    })
}

/** Clients that try a WebSocket first fall back to POST when they get a 426. */
function noSocket(services: RelayServices, visit: Visit): Response {
  admit(services, visit)
  const upgrade = visit.request.headers.get('upgrade') !== null
  const refusal = upgrade
    ? new GatewayError('unsupported_endpoint', 'Responses over a WebSocket are not supported. Use POST with stream: true.', { status: 426 })
    : new GatewayError('method_not_allowed', 'This address takes POST.')
  const response = errorResponse(refusal, 'chat', visit.requestId)
  if (upgrade) response.headers.set('upgrade', 'h2c')
  else response.headers.set('allow', 'POST')
  return response
}

/** `/v1/chat/completions`, `/v1/completions` and everything under `/v1/responses`. */
export function openaiRoutes(services: StoredResponseServices): Route[] {
  const dialects = { '/v1/chat/completions': 'chat', '/v1/completions': 'completions' } as const
  const relayServices = Object.entries(dialects).map(
    ([path, dialect]): Route => ({
      method: 'POST',
      path,
      envelope: 'chat',
      slow: true,
      handle: (visit) => generate(services, visit, { dialect }),
    }),
  )
  const get = (path: string, handle: Route['handle']): Route => ({ method: 'GET', path, envelope: 'chat', handle })
  return [
    ...relayServices,
    {
      method: 'POST',
      path: '/v1/responses',
      envelope: 'chat',
      slow: true,
      handle: (visit) => generate({ ...services, relay: services.keeping }, visit, { dialect: 'responses' }),
    },
    {
      method: 'POST',
      path: '/v1/responses/compact',
      envelope: 'chat',
      slow: true,
      handle: (visit) =>
        generate({ ...services, relay: services.keeping }, visit, {
          dialect: 'responses',
          operation: 'compact',
          check: refuseStream,
        }),
    },
    get('/v1/responses', (visit) => noSocket(services, visit)),
    get('/v1/responses/:id', (visit) => retrieve(services, visit)),
    get('/v1/responses/:id/input_items', (visit) => inputItems(services, visit)),
    { method: 'DELETE', path: '/v1/responses/:id', envelope: 'chat', handle: (visit) => forget(services, visit) },
  ]
}
