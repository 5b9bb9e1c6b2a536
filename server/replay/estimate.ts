/** The cost of a replay before it is started: the originals' usage at the prices of the targets. */
import type { Caller, User } from '#accounts/caller'
import { cost } from '#billing/pricing/cost'
import type { PriceBook } from '#billing/pricing/price'
import type { Bodies } from '#bodies/bodies'
import type { Channels } from '#routing/channel'
import type { ReplayQuestion, ReplayTarget } from '#shared/console/replay'
import { GatewayError } from '#shared/errors'
import type { Store } from '#store/engine/store'
import type { StoredLog } from '#store/ledger/row-detail'
import { findLogNear } from '#store/usage/logs'

/** What it needs. */
export interface EstimateParts {
  store: Store
  bodies: Pick<Bodies, 'readable'>
  prices: Pick<PriceBook, 'get'>
  channels: Pick<Channels, 'offering' | 'isSwitchedOff'>
}

/** One request on one target. Nano-dollars; undefined: unknown. */
export interface Expected {
  requestId: string
  target: number
  nano: bigint | undefined
}

/** The estimate for requests on targets. */
export interface Expectation {
  /** Those that can be replayed. */
  requestIds: string[]
  refused: { requestId: string; code: string }[]
  items: Expected[]
  /** Nano-dollars. */
  sum: bigint
}

/** Characters of all targets as JSON. */
const mostTargetCharacters = 16 * 1024

/** Nano-dollars: the smallest default ceiling of a job. */
const leastCeiling = 10_000_000n

/** Nano-dollars: the default ceiling of a job. */
export const usualCeiling = (expected: bigint): bigint => (2n * expected > leastCeiling ? 2n * expected : leastCeiling)

/**
 * For a user, as this caller. Throws `model_not_found` for a target's model that its group or team lacks, whether it exists or not, and
 * `not_permitted` for a channel that this user may not name.
 */
export async function expectationOf(
  { store, bodies, prices, channels }: EstimateParts,
  by: User,
  { requestIds, targets }: Pick<ReplayQuestion, 'requestIds' | 'targets'>,
  { group, models }: Pick<Caller, 'group' | 'models'>,
): Promise<Expectation> {
  const isOffered = (model: string) =>
    models?.has(model) !== false &&
    prices.get(model) !== undefined &&
    (channels.offering(group.name, model).length > 0 || channels.isSwitchedOff(group.name, model))
  for (const [n, target] of targets.entries()) demandTarget(by, target, n, isOffered)
  if (JSON.stringify(targets).length > mostTargetCharacters)
    throw new GatewayError('invalid_value', 'The changes of all targets together are too long.', { param: 'targets' })
  const cameAt = await bodies.readable(by, requestIds)
  const able = requestIds.filter((id) => cameAt.has(id))
  const items: Expected[] = []
  for (const requestId of able) {
    const row = await findLogNear(store, requestId, cameAt.get(requestId) ?? new Date(0))
    items.push(...targets.map((target, n) => ({ requestId, target: n, nano: costOf(row, target, prices, group.ratio) })))
  }
  return {
    requestIds: able,
    refused: requestIds.filter((id) => !cameAt.has(id)).map((requestId) => ({ requestId, code: 'not_found' })),
    items,
    sum: items.reduce((sum, { nano }) => sum + (nano ?? 0n), 0n),
  }
}

function demandTarget(by: User, { model, channel, sameChannel }: ReplayTarget, n: number, isOffered: (model: string) => boolean): void {
  // The same error for every model that this group lacks, so that others' models stay unknown.
  if (model !== undefined && !isOffered(model))
    throw new GatewayError('model_not_found', 'The model does not exist, or you may not use it.', { param: `targets.${n}.model` })
  if (channel === undefined) return
  if (by.role !== 'admin')
    throw new GatewayError('not_permitted', 'Only administrators may name a channel.', { param: `targets.${n}.channel` })
  if (sameChannel)
    throw new GatewayError('invalid_value', 'Give either channel or sameChannel, not both.', { param: `targets.${n}.channel` })
}

function costOf(row: StoredLog | undefined, { model }: ReplayTarget, prices: EstimateParts['prices'], ratio: bigint): bigint | undefined {
  const price = row && prices.get(model ?? row.model)
  return price && row.usage ? cost(row.usage, price.rates, ratio) : undefined
}
