/**
 * Chooses the candidates of an object request: the channel and key that have the objects it names, or, for a new object, every channel of
 * the caller whose vendor has such objects.
 */

import type { Price } from '#billing/pricing/price'
import { resolveRates } from '#billing/pricing/rates'
import type { StateRef } from '#canonical/codec'
import { kindTitles } from '#protocols/object-endpoints'
import { stateName } from '#reasoning-state/upstream-state'
import type { RelayParts } from '#relay/contract/ask'
import type { ObjectAsk } from '#relay/contract/objects'
import type { ModelCandidates } from '#relay/contract/steps'
import { mayAsk, notThere } from '#relay/conversation/kept-state'
import type { Channel } from '#routing/channel'
import { type Candidate, order } from '#routing/order'
import { modelNotFound } from '#routing/plan'
import { GatewayError } from '#shared/errors'
import { dialectOf, keepersOf, keepsObjects } from '#vendors/account-objects'
import { noModel } from './sending.ts'

type Parts = Pick<RelayParts, 'channels' | 'prices' | 'health' | 'random' | 'reasoningState'>
type Asking = Pick<ObjectAsk, 'caller' | 'endpoint'>

/** The price of objects without a model. */
const free: Price = { model: '', fields: { request: '0' }, rates: resolveRates({ request: '0' }), managed: 'file' }

/**
 * The candidates for `model`, or for objects without one, with the price. `named`: objects that they must have. Rejects with GatewayError.
 */
export async function choose(parts: Parts, ask: Asking, named: readonly StateRef[], model?: string): Promise<ModelCandidates> {
  const price = model === undefined ? free : priceOf(parts, ask, model)
  const keepers = await parts.reasoningState.keepersOf(ask.caller.user.id, named)
  const keeperOf = (ref: StateRef) => keepers.get(stateName(ref))
  for (const { channel, key } of keepers.values()) demandServing(parts.channels.get(channel), ask, key)
  const open = openChannels(parts, ask, model)
  if (open.length === 0) throw refusal(ask, model)
  const all = open.flatMap((channel) => candidatesOf(channel, ask, model))
  const foreign = named.find((ref) => !all.some((candidate) => mayAsk(candidate, ref, keeperOf(ref))))
  if (foreign) throw notThere(foreign)
  const able = all.filter((candidate) => named.every((ref) => mayAsk(candidate, ref, keeperOf(ref))))
  if (able.length === 0) throw elsewhere(named)
  return { model: model ?? '', price, candidates: parts.health.plentyFirst(parts.health.fit(order(able, parts.random.fraction))) }
}

/** The channels whose vendor has such objects and that the caller may use. */
export const openChannels = ({ channels }: Pick<Parts, 'channels'>, ask: Asking, model?: string): Channel[] =>
  [...channels.all()].filter((channel) => isOpen(channel, ask, model))

function priceOf({ prices, channels }: Parts, { caller }: Asking, model: string): Price {
  const price = prices.get(model)
  const mayUse = caller.models === null || caller.models.has(model)
  if (!price || !mayUse || channels.offering(caller.group.name, model).length === 0) throw modelNotFound()
  return price
}

/** Whether the caller may use the channel, and its vendor has such objects. */
function isOpen(channel: Channel, { caller, endpoint }: Asking, model: string | undefined): boolean {
  if (!channel.enabled || !channel.groups.has(caller.group.name) || !keepsObjects(channel.vendor.id, endpoint.api, endpoint.kind))
    return false
  if (model !== undefined) return channel.models.has(model)
  return caller.models === null || [...channel.models.keys()].some((name) => caller.models?.has(name))
}

function candidatesOf(channel: Channel, { endpoint }: Asking, name: string | undefined): Candidate[] {
  const model = name === undefined ? noModel : channel.models.get(name)
  if (!model) return []
  const how = { channel, model, dialect: dialectOf[endpoint.api], native: true }
  if (channel.vendor.keyless && channel.keys.length === 0) return [{ ...how, key: null }]
  return channel.keys.filter(({ enabled }) => enabled).map((key) => ({ ...how, key }))
}

/** Throws if the one channel and key that have an object cannot be used. */
function demandServing(channel: Channel | undefined, { caller, endpoint }: Asking, key: string | null): void {
  const gone = (why: string) => new GatewayError('no_channel_available', `The channel that has this object ${why}.`)
  if (!channel) throw gone('is no longer here')
  if (!channel.enabled) throw gone('is switched off')
  if (!isOpen(channel, { caller, endpoint }, undefined)) throw gone('is not open to this key')
  if (key === null) return
  const own = channel.keys.find(({ id }) => id === key)
  if (!own?.enabled) throw new GatewayError('no_channel_available', 'The upstream key that made this object is no longer in use.')
}

const elsewhere = (named: readonly StateRef[]) =>
  named.length > 0
    ? new GatewayError('not_found', 'No upstream account has everything that this request names.')
    : new GatewayError('no_channel_available', 'Every key of the channels that have such objects is switched off.', { retryAfter: 5 })

/** The error for a caller none of whose channels has such objects. */
export function refusal({ endpoint }: Asking, model?: string): GatewayError {
  const vendors = keepersOf(endpoint.api, endpoint.kind).map((id) => `\`${id}\``)
  const where = model === undefined ? 'No channel of this key has' : 'No channel of this model has'
  return new GatewayError(
    'unsupported_here',
    `${where} ${kindTitles[endpoint.kind]}: they live in the account of one upstream, so a channel of the vendor ${vendors.join(' or ')} is needed.`,
    model === undefined ? {} : { param: 'model' },
  )
}
