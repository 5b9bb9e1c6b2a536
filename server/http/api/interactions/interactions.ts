/**
 * `/v1beta/interactions`: conversations that are kept, in Gemini's words. They are stored responses under another name, so that every
 * upstream continues them, and either door reads what the other has made.
 */

import { cancel, forget, kept, type StoredResponseServices } from '#http/api/openai'
import { admit, generate } from '#http/api/relay-route'
import { json, jsonText } from '#http/request/respond'
import type { Route, Visit } from '#http/request/route'
import { interactions } from '#protocols/wordings'
import { GatewayError } from '#shared/errors'
import { createSseSplitter } from '#shared/sse'

const noInteraction = (param: string) => new GatewayError('not_found', 'There is no interaction with this id.', { param })

/** What is said of responses, said of interactions. */
function inOwnWords(thrown: unknown): unknown {
  if (!(thrown instanceof GatewayError)) return thrown
  const { code, param, message } = thrown
  if (code === 'not_found' && param === 'response_id') return noInteraction('id')
  if (code === 'not_found' && param === 'previous_response_id') return noInteraction('previous_interaction_id')
  if (code !== 'invalid_value' || !message.startsWith('The response ')) return thrown
  return new GatewayError(code, message.replace('The response ', 'The interaction '), param === undefined ? {} : { param })
}

const create = (services: StoredResponseServices, visit: Visit): Promise<Response> =>
  generate({ ...services, relay: services.keeping }, visit, { dialect: 'responses', wording: 'interaction' })

/** Whole, with what it answers where that is asked for, or as the stream that it was. */
async function retrieve(services: StoredResponseServices, visit: Visit): Promise<Response> {
  const caller = admit(services, visit)
  const { id = '' } = visit.params
  const query = visit.url.searchParams
  if (query.get('stream') === 'true') {
    const events = await (await kept(services, caller, id, { kind: 'events' })).bytes()
    return replayed(events, query.get('last_event_id') ?? undefined)
  }
  const whole = interactions.write(await (await kept(services, caller, id, { kind: 'whole' })).text())
  if (query.get('include_input') !== 'true') return jsonText(whole)
  const items = await kept(services, caller, id, { kind: 'input', isOldestFirst: true, limit: Number.MAX_SAFE_INTEGER })
  return jsonText(interactions.withInput(whole, await items.text()))
}

function replayed(events: Uint8Array, after: string | undefined): Response {
  if (after !== undefined && !/^\d{1,9}$/.test(after))
    throw new GatewayError('invalid_value', 'The parameter `last_event_id` must be the id of an event.', { param: 'last_event_id' })
  const stream = interactions.open(after)
  // Parley wrote these frames itself.
  const frames = createSseSplitter({ maxFrameBytes: Number.POSITIVE_INFINITY }).push(events)
  const headers = { 'content-type': stream.contentType, 'cache-control': 'no-cache' }
  return new Response(Buffer.concat(frames.flatMap((frame) => stream.push(frame) ?? [])), { headers })
}

async function stop(services: StoredResponseServices, visit: Visit): Promise<Response> {
  return jsonText(interactions.write(await (await cancel(services, visit)).text()))
}

async function remove(services: StoredResponseServices, visit: Visit): Promise<Response> {
  await forget(services, visit)
  return json({})
}

/** `/v1beta/interactions` and what is under it, under both versions that clients call. */
export function interactionRoutes(services: StoredResponseServices): Route[] {
  const route = (method: Route['method'], path: string, handle: typeof create, slow = false): Route => ({
    ...{ method, path, envelope: 'gemini' },
    ...(slow && { slow }),
    handle: async (visit) => {
      try {
        return await handle(services, visit)
      } catch (thrown) {
        throw inOwnWords(thrown)
      }
    },
  })
  return ['v1beta', 'v1'].flatMap((version) => {
    const at = `/${version}/interactions`
    return [
      route('POST', at, create, true),
      route('GET', `${at}/:id`, retrieve),
      route('DELETE', `${at}/:id`, remove),
      route('POST', `${at}/:id/cancel`, stop),
    ]
  })
}
