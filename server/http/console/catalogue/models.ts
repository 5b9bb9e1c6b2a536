/**
 * The models that the signed-in user, or a team of theirs, may call in a group: those with a price that a channel of the group offers. For
 * administrators also the capabilities of channels' models, priced or not.
 */
import type { Payer } from '#accounts/admission'
import type { Group, User } from '#accounts/caller'
import type { Price } from '#billing/pricing/price'
import { operationsOf, pricedOperations } from '#http/api/models'
import { type ConsoleDeps, consoleRoute } from '#http/console/route/console-route'
import { orderedList } from '#http/console/route/list-order'
import { readOne } from '#http/console/route/one-value'
import { pageOf, paging, readPaging } from '#http/console/route/page'
import type { Route } from '#http/request/route'
import type { Channel, Channels } from '#routing/channel'
import type { CapabilityRow, ModelRow } from '#shared/console/model'
import { GatewayError } from '#shared/errors'
import { dialects, servedBy } from '#shared/ids'
import { factsOf } from './model-facts.ts'
import { isWantedModel, modelFilters, modelOrder, readModelQuestion } from './model-list.ts'
import type { DatedPrices } from './price-list.ts'

/** What the console's model route needs from the program. */
export interface ModelDeps extends ConsoleDeps {
  accounts: ConsoleDeps['accounts'] & { groupsOf(user: User): readonly Group[]; payerFor(user: User, team?: string): Payer }
  channels: Channels
  prices: DatedPrices
}

/** `GET /api/models`, `GET /api/capabilities`. */
export function modelRoutes(deps: ModelDeps): Route[] {
  return [
    consoleRoute(deps, {
      method: 'GET',
      path: '/api/models',
      who: 'session',
      scope: 'prices',
      query: ['group', 'team', ...modelFilters, ...paging],
      handle: ({ user, query }) => {
        const { group, mayUse } = groupFor(deps, user, query.get('group') ?? undefined, readOne(query, 'team'))
        const question = readModelQuestion(query)
        const { order } = question
        const usable = modelsOf(group.name, deps).filter(({ id }) => mayUse(id))
        const rows = usable.filter((row) => isWantedModel(question, row))
        return { body: pageOf(orderedList('models', order), rows, modelOrder(order), readPaging(query), order.down) }
      },
    }),
    consoleRoute(deps, {
      method: 'GET',
      path: '/api/capabilities',
      who: 'admin',
      scope: 'channels',
      query: ['channel', ...paging],
      handle: ({ query }) => {
        const rows = capabilitiesOf(channelsIn(deps.channels, readOne(query, 'channel')))
        return { body: pageOf('capabilities', rows, (row) => row.model, readPaging(query)) }
      },
    }),
  ]
}

/**
 * The group of this name, or the default one, and which of its models the user, or a team of theirs, may use. Throws
 * `group_not_allowed`.
 */
export function groupFor(
  { accounts }: Pick<ModelDeps, 'accounts'>,
  user: User,
  name?: string,
  team?: string,
): { group: Group; mayUse(model: string): boolean } {
  const payer = accounts.payerFor(user, team)
  const group = accounts.groupsOf(payer.user).find((usable) => usable.name === (name ?? payer.user.group))
  if (group === undefined) {
    throw new GatewayError('group_not_allowed', 'This group does not exist or may not be used.', { param: 'group' })
  }
  return { group, mayUse: (model) => payer.models?.has(model) ?? true }
}

function modelsOf(group: string, { channels, prices }: Pick<ModelDeps, 'channels' | 'prices'>): ModelRow[] {
  return channels.modelsOf(group).flatMap((model) => {
    const price = prices.get(model)
    return price ? modelRow(price, channels.offering(group, model), prices.changedAt(model)) : []
  })
}

/** The channel of this id, or all that are on. Throws `not_found`. */
function channelsIn(channels: Channels, id: string | undefined): Channel[] {
  if (id === undefined) return [...channels.all()].filter(({ enabled }) => enabled)
  const channel = channels.get(id)
  if (channel === undefined) throw new GatewayError('not_found', 'There is no channel with this id.')
  return [channel]
}

function capabilitiesOf(channels: readonly Channel[]): CapabilityRow[] {
  const rows = new Map<string, CapabilityRow>()
  for (const channel of channels.toSorted((a, b) => b.priority - a.priority)) {
    for (const model of channel.models.keys()) {
      const offering = channels.filter(({ models }) => models.has(model))
      if (!rows.has(model)) rows.set(model, { model, operations: operationsOf(model, offering), ...factsOf(channel, model) })
    }
  }
  return [...rows.values()]
}

/** A row for one model: operations and dialects of all its channels, capabilities of the channel that is tried first. */
function modelRow(price: Price, offering: readonly Channel[], changedAt: Date | null): ModelRow[] {
  const [first] = offering.toSorted((a, b) => b.priority - a.priority)
  const id = price.model
  const priced = pricedOperations(price, id, offering)
  if (!first || priced.length === 0) return []
  const spoken = new Set(offering.flatMap((channel) => channel.speaks))
  return [
    {
      id,
      operations: priced,
      dialects: dialects.filter((dialect) => servedBy[dialect].some((upstream) => spoken.has(upstream))),
      price: price.fields,
      priceChangedAt: changedAt?.toISOString() ?? null,
      ...factsOf(first, id),
    },
  ]
}
