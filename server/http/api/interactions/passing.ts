/** Interactions stored by an upstream: begun in the background, polled, followed, cancelled and deleted in the account that has them. */
import type { Caller } from '#accounts/caller'
import { owedOf, placeOf } from '#http/api/begun-work'
import { json, relayed } from '#http/request/respond'
import type { Visit } from '#http/request/route'
import type { BackgroundInteractions } from '#interactions/interactions'
import { nativeInteractions } from '#protocols/wordings'
import type { Keeper } from '#reasoning-state/upstream-state'
import type { BegunAt, FollowUps } from '#relay/admin/follow-ups'
import type { Ask, BegunWork } from '#relay/contract/ask'
import type { Interactions } from '#relay/conversation/interaction'
import type { Clock } from '#runtime/clock'
import type { Source } from '#runtime/outgoing-body'
import { GatewayError } from '#shared/errors'
import { createSseSplitter } from '#shared/sse'
import type { UpstreamAnswer } from '#upstream/upstream'

/** Dependencies. */
export interface PassingServices {
  interactions: Interactions
  backgroundInteractions: BackgroundInteractions
  followUps: Pick<FollowUps, 'ask' | 'text'>
  clock: Clock
  heartbeatMs: number
}

/** Most bytes of one event: it may contain an image. */
const mostBytes = 64 * 1024 * 1024

/** An interaction stored by an upstream, and its owner. */
export interface Passing {
  caller: Caller
  id: string
  keeper: Keeper
}

const placeAt = ({ id, keeper }: Passing): BegunAt => ({
  ...{ style: 'interaction', channel: keeper.channel, key: keeper.key, upstreamModel: '', upstreamId: id },
})

/** Records one that an upstream has begun in the background; resolves to it, with the body for the client. */
export async function begun(
  { interactions, backgroundInteractions }: PassingServices,
  { caller, requestId }: Pick<Ask, 'caller' | 'requestId'>,
  work: BegunWork,
): Promise<Passing & { body: string }> {
  const { body, head } = work
  const { id } = nativeInteractions.interactionIn(body)
  if (typeof id !== 'string' || id === '')
    throw new GatewayError('upstream_error', 'The upstream started an interaction without returning its id.')
  const place = placeOf(work)
  const servedAs = work.row.usage?.servedAs
  await interactions.noted(caller.user.id, place, id)
  await backgroundInteractions.begin({
    ...{ tenant: caller.user.id, keyId: caller.key?.id ?? null, requestId, owed: owedOf(work) },
    facts: {
      ...{ ...place, upstreamId: id, inputBytes: head.inputBytes, report: { state: 'in_progress', progress: 0 } },
      ...(servedAs && { servedAs }),
    },
  })
  return { body, caller, id, keeper: { channel: place.channel, key: place.key } }
}

/** The current interaction from the upstream. Rejects with GatewayError. */
export async function shown(services: PassingServices, visit: Visit, one: Passing): Promise<Response> {
  const query = visit.url.searchParams.get('include_input') === 'true' ? 'include_input=true' : ''
  return whole(services, one, await services.followUps.text(placeAt(one), { want: 'state', query }, visit.request.signal))
}

/** Streams its events, starting after `after`. Rejects with GatewayError. */
export async function followed(services: PassingServices, visit: Visit, one: Passing, after?: string): Promise<Response> {
  const asked = new URLSearchParams({ stream: 'true', ...(after !== undefined && { last_event_id: after }) })
  const answer = await services.followUps.ask(placeAt(one), { want: 'state', query: asked.toString() }, visit.request.signal)
  if (!/^text\/event-stream/i.test(answer.headers.get('content-type') ?? '')) {
    answer.cancel()
    throw new GatewayError('upstream_error', 'The upstream did not answer with a stream.')
  }
  const body = eventsOf(services, one, answer)
  return relayed({ status: 200, contentType: 'text/event-stream; charset=utf-8', body, losses: [], left: {} }, visit, services)
}

/** Stops one in the background. Rejects with GatewayError. */
export async function stopped(services: PassingServices, visit: Visit, one: Passing): Promise<Response> {
  return whole(services, one, await services.followUps.text(placeAt(one), { want: 'cancel' }, visit.request.signal))
}

/** Asks the upstream to stop one in the background, of any tenant; `id` is Parley's. Rejects with GatewayError. */
export async function stopInBackground(
  { backgroundInteractions, followUps }: Pick<PassingServices, 'backgroundInteractions' | 'followUps'>,
  id: string,
): Promise<void> {
  const kept = await backgroundInteractions.find(id)
  if (!kept || kept.endedAt) throw new GatewayError('not_found', 'This interaction has ended.')
  const answer = await followUps.ask({ ...kept, style: 'interaction' }, { want: 'cancel' }, new AbortController().signal)
  answer.cancel()
}

/** Deletes it, even if the upstream no longer has it. Rejects for a running one. */
export async function removed(services: PassingServices, visit: Visit, one: Passing): Promise<Response> {
  const { backgroundInteractions, interactions, followUps } = services
  const open = await backgroundInteractions.list({ tenant: one.caller.user.id, isOpen: true, most: 200 })
  // Deleting a running one would leave it unpaid.
  if (open.some(({ upstreamId }) => upstreamId === one.id))
    throw new GatewayError('invalid_value', 'The interaction is still in progress. Cancel it first.')
  await followUps
    .ask(placeAt(one), { want: 'remove' }, visit.request.signal)
    .then((answer) => answer.cancel())
    .catch((thrown: unknown) => {
      if (!(thrown instanceof GatewayError && thrown.code === 'not_found')) throw thrown
    })
  interactions.deleted(one.caller, one.id)
  return json({})
}

/** The model's upstream name and its name for callers; undefined where they are the same. */
function nameFor({ interactions }: PassingServices, { keeper }: Passing, upstream: string | undefined): string | undefined {
  const name = upstream === undefined ? undefined : interactions.nameOf(keeper, upstream)
  return name === upstream ? undefined : name
}

function whole(services: PassingServices, one: Passing, text: string): Response {
  nativeInteractions.interactionIn(text)
  const body = nativeInteractions.renamed(text, nameFor(services, one, nativeInteractions.answererIn(text)))
  return new Response(body, { headers: { 'content-type': 'application/json', 'cache-control': 'no-store' } })
}

/** Events as they arrive; those with an interaction get the callers' name of its model. */
function eventsOf(services: PassingServices, one: Passing, answer: UpstreamAnswer): Source {
  const splitter = createSseSplitter({ maxFrameBytes: mostBytes })
  const renamed = nativeInteractions.renamedEvents((upstream) => nameFor(services, one, upstream))
  let broke = false
  return {
    async next() {
      try {
        for (let piece = await answer.read(); piece !== undefined; piece = await answer.read()) {
          const out = splitter.push(piece).map(renamed)
          if (out.length > 0) return Buffer.concat(out)
        }
        const rest = splitter.end().map(renamed)
        return rest.length > 0 ? Buffer.concat(rest) : undefined
      } catch {
        broke = true
        return undefined
      }
    },
    broke: () => broke,
    close: () => answer.cancel(),
  }
}
