/**
 * `/v1beta/interactions`: stored conversations in Gemini's format. Where a channel of the model serves interactions, they are passed to it
 * and stored there. Otherwise they are stored responses under another name, so that every upstream can continue them, and either endpoint
 * reads what the other has created.
 */

import { cancel, forget, kept, type StoredResponseServices } from '#http/api/openai'
import { admit, generate, type NativeWay } from '#http/api/relay-route'
import { json, jsonText } from '#http/request/respond'
import type { Route, Visit } from '#http/request/route'
import { interactions } from '#protocols/wordings'
import { headOfInteraction, headOfLarge } from '#relay/conversation/interaction'
import { GatewayError } from '#shared/errors'
import { createSseSplitter } from '#shared/sse'
import { begun, followed, type Passing, type PassingServices, removed, shown, stopped } from './passing.ts'

/** Dependencies. */
export type InteractionServices = StoredResponseServices & PassingServices

const noInteraction = (param: string) => new GatewayError('not_found', 'There is no interaction with this id.', { param })

/** Rewords errors about responses for interactions. */
function reworded(thrown: unknown): unknown {
  if (!(thrown instanceof GatewayError)) return thrown
  const { code, param, message } = thrown
  if (code === 'not_found' && param === 'response_id') return noInteraction('id')
  if (code === 'not_found' && param === 'previous_response_id') return noInteraction('previous_interaction_id')
  if (code !== 'invalid_value' || !message.startsWith('The response ')) return thrown
  return new GatewayError(code, message.replace('The response ', 'The interaction '), param === undefined ? {} : { param })
}

async function create(services: InteractionServices, visit: Visit): Promise<Response> {
  /** The interaction at an upstream that this stream follows. */
  let streamed: Passing | undefined
  const native: NativeWay = {
    as: { operation: 'interact', dialect: 'gemini' },
    async takes({ content, large }, caller) {
      const head = large ? headOfLarge(large) : headOfInteraction(String(content))
      const tenant = caller.user.id
      const isKept = async (id: string) =>
        (await services.reasoningState.findText(tenant, id)) !== undefined || (await services.background.find(tenant, id)) !== undefined
      if (!(await services.interactions.passes(caller, head, isKept))) return undefined
      if (head.background) await services.backgroundInteractions.demandRoom(tenant)
      return {
        async begins(work) {
          const { body, ...passing } = await begun(services, { caller, requestId: visit.requestId }, work)
          if (head.background === 'streamed') streamed = passing
          return body
        },
      }
    },
  }
  const answer = await generate({ ...services, relay: services.keeping }, visit, { dialect: 'responses', wording: 'interaction', native })
  if (!streamed) return answer
  const events = await followed(services, visit, streamed)
  for (const [name, value] of answer.headers) if (!events.headers.has(name) && !name.startsWith('content-')) events.headers.set(name, value)
  return events
}

/** The caller's interaction of this address, if an upstream stores it. */
async function passingAt(services: InteractionServices, visit: Visit): Promise<Passing | undefined> {
  const caller = admit(services, visit)
  const { id = '' } = visit.params
  const keeper = await services.interactions.keeperOf(caller, id)
  return keeper && { caller, id, keeper }
}

/** Whole, with its input if requested, or as its original stream. */
async function retrieve(services: InteractionServices, visit: Visit): Promise<Response> {
  const passing = await passingAt(services, visit)
  const query = visit.url.searchParams
  const after = query.get('last_event_id') ?? undefined
  const isStream = query.get('stream') === 'true'
  if (passing) return isStream ? followed(services, visit, passing, after) : shown(services, visit, passing)
  const caller = admit(services, visit)
  const { id = '' } = visit.params
  if (isStream) return replayed(await (await kept(services, caller, id, { kind: 'events' })).bytes(), after)
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

async function stop(services: InteractionServices, visit: Visit): Promise<Response> {
  const passing = await passingAt(services, visit)
  return passing ? stopped(services, visit, passing) : jsonText(interactions.write(await (await cancel(services, visit)).text()))
}

async function remove(services: InteractionServices, visit: Visit): Promise<Response> {
  const passing = await passingAt(services, visit)
  if (passing) return removed(services, visit, passing)
  await forget(services, visit)
  return json({})
}

/** `/v1beta/interactions` and below, under both versions that clients call. */
export function interactionRoutes(services: InteractionServices): Route[] {
  const route = (method: Route['method'], path: string, handle: typeof create, slow = false): Route => ({
    ...{ method, path, envelope: 'gemini' },
    ...(slow && { slow }),
    handle: async (visit) => {
      try {
        return await handle(services, visit)
      } catch (thrown) {
        throw reworded(thrown)
      }
    },
  })
  return ['v1beta', 'v1'].flatMap((version) => {
    const at = `/${version}/interactions`
    return [
      route('POST', at, create, true),
      route('GET', `${at}/:id`, retrieve, true),
      route('DELETE', `${at}/:id`, remove),
      route('POST', `${at}/:id/cancel`, stop),
    ]
  })
}
