/** OpenAI endpoints: chat completions, text completions, responses. */

import type { Caller } from '#accounts/caller'
import type { Head } from '#canonical/codec'
import { errorResponse, json } from '#http/request/respond'
import type { Route, Visit } from '#http/request/route'
import type { StoredView } from '#relay/contract/stored'
import type { Background } from '#relay/conversation/background'
import { noResponse } from '#relay/conversation/stored-exchange'
import { type ResponseStore, type StoringRelay, storedAs } from '#relay/conversation/stored-responses'
import { shown } from '#relay/conversation/stored-view'
import { GatewayError } from '#shared/errors'
import { pageSize } from './page-size.ts'
import { admit, count, generate, type RelayServices, senderOf } from './relay-route.ts'

/** A stored response by its id, for the tenant that created it. */
export interface StoredResponseServices extends RelayServices {
  /** The relay that stores responses. */
  keeping: StoringRelay
  reasoningState: ResponseStore
  background: Pick<Background, 'find' | 'cancel'>
}

/** A stored response in the requested form. Rejects with `not_found`. */
export async function kept(
  services: StoredResponseServices,
  caller: Caller,
  id: string,
  view: StoredView,
  headers: Record<string, string> = jsonHeaders,
): Promise<Response> {
  const tenant = caller.user.id
  const find = () => services.reasoningState.findText(tenant, id)
  const stored = await find()
  const made = stored ? undefined : await services.background.find(tenant, id)
  if (made && view.kind === 'events') throw inProgress('It has no events yet: ask for it without `stream` until it is complete.', 'stream')
  if (made) return new Response(shown(made, view), { headers })
  // It may have been stored in between.
  const found = stored ?? (await find())
  if (!found) throw noResponse('response_id')
  return new Response(await storedAs(services.large, found, view, senderOf(caller)), { headers })
}

const jsonHeaders = { 'content-type': 'application/json', 'cache-control': 'no-store' }
const eventHeaders = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' }

/** Whole, or as its original stream. */
async function retrieve(services: StoredResponseServices, visit: Visit): Promise<Response> {
  const caller = admit(services, visit)
  const { id = '' } = visit.params
  const query = visit.url.searchParams
  if (query.get('stream') !== 'true') return kept(services, caller, id, { kind: 'whole' })
  const after = query.get('starting_after')
  if (after !== null && !/^\d{1,9}$/.test(after)) {
    throw new GatewayError('invalid_value', 'The parameter `starting_after` must be the number of an event.', { param: 'starting_after' })
  }
  const view: StoredView = { kind: 'events', ...(after !== null && { after: Number(after) }) }
  return kept(services, caller, id, view, eventHeaders)
}

const inProgress = (what: string, param?: string) =>
  new GatewayError('invalid_value', `The response is still in progress. ${what}`, param === undefined ? {} : { param })

/** Cancels a running response; a complete one is unchanged. Rejects with `not_found`. */
export async function cancel(services: StoredResponseServices, visit: Visit): Promise<Response> {
  const caller = admit(services, visit)
  const { id = '' } = visit.params
  const stopped = await services.background.cancel(caller.user.id, id)
  return stopped ? json(stopped.response) : kept(services, caller, id, { kind: 'whole' })
}

/** Deletes a stored response. Rejects with `not_found`, and for one in progress. */
export async function forget(services: StoredResponseServices, visit: Visit): Promise<Response> {
  const id = visit.params.id ?? ''
  const tenant = admit(services, visit).user.id
  if (!(await services.reasoningState.forget(tenant, id))) {
    if (await services.background.find(tenant, id)) throw inProgress('Cancel it first.')
    throw noResponse('response_id')
  }
  services.reasoningState.deleted(tenant, [{ kind: 'response', id }])
  return json({ id, object: 'response', deleted: true })
}

/** The input items of a stored response, newest first as the vendor lists them. */
async function inputItems(services: StoredResponseServices, visit: Visit): Promise<Response> {
  const caller = admit(services, visit)
  const { id = '' } = visit.params
  const query = visit.url.searchParams
  const after = query.get('after')
  const limit = pageSize(query.get('limit'))
  const view = { kind: 'input', isOldestFirst: query.get('order') === 'asc', ...(after !== null && { after }), limit } as const
  return kept(services, caller, id, view)
}

function refuseStream({ stream }: Head): void {
  if (stream)
    throw new GatewayError('unsupported_value', 'A compaction cannot be streamed. Leave out `stream` or set it to false.', {
      param: 'stream',
    })
}

/** The 405 of an address that takes POST and WebSockets. */
function onlyPost(visit: Visit): Response {
  const response = errorResponse(new GatewayError('method_not_allowed', 'This address takes POST.'), 'chat', visit.requestId)
  response.headers.set('allow', 'POST')
  return response
}

const wantsSocket = ({ request, upgrade }: Visit) => upgrade !== undefined && request.headers.get('upgrade')?.toLowerCase() === 'websocket'

/** `/v1/chat/completions`, `/v1/completions` and everything under `/v1/responses`; `socket` opens its WebSockets. */
export function openaiRoutes(services: StoredResponseServices, socket?: (visit: Visit) => Response): Route[] {
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
    {
      method: 'POST',
      path: '/v1/responses/input_tokens',
      envelope: 'chat',
      slow: true,
      handle: (visit) => count(services, visit, { dialect: 'responses', continued: services.keeping.continued }),
    },
    {
      method: 'GET',
      path: '/v1/responses',
      envelope: 'chat',
      slow: true,
      // Nothing but WebSockets.
      serves: () => false,
      handle: async (visit) => {
        admit(services, visit)
        return wantsSocket(visit) && socket ? socket(visit) : onlyPost(visit)
      },
    },
    get('/v1/responses/:id', (visit) => retrieve(services, visit)),
    { method: 'POST', path: '/v1/responses/:id/cancel', envelope: 'chat', handle: (visit) => cancel(services, visit) },
    get('/v1/responses/:id/input_items', (visit) => inputItems(services, visit)),
    { method: 'DELETE', path: '/v1/responses/:id', envelope: 'chat', handle: (visit) => forget(services, visit) },
  ]
}
