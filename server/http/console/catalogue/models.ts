/** The models that the signed-in user may call in a group: those with a price that a channel of the group offers. */
import type { Group, User } from '#accounts/caller'
import type { Price, PriceBook } from '#billing/pricing/price'
import { operationsOf } from '#http/api/models'
import { type ConsoleDeps, consoleRoute } from '#http/console/route/console-route'
import { pageOf, paging, readPaging } from '#http/console/route/page'
import type { Route } from '#http/request/route'
import type { Channel, Channels } from '#routing/channel'
import type { ModelRow } from '#shared/console/model'
import { GatewayError } from '#shared/errors'
import { dialects, servedBy } from '#shared/ids'

/** What the console's model route needs from the program. */
export interface ModelDeps extends ConsoleDeps {
  accounts: ConsoleDeps['accounts'] & { groupsOf(user: User): readonly Group[] }
  channels: Channels
  prices: PriceBook
}

/** `GET /api/models`. */
export function modelRoutes(deps: ModelDeps): Route[] {
  return [
    consoleRoute(deps, {
      method: 'GET',
      path: '/api/models',
      who: 'session',
      scope: 'prices',
      query: ['group', ...paging],
      handle: ({ user, query }) => {
        const group = query.get('group') ?? user.group
        if (!deps.accounts.groupsOf(user).some((usable) => usable.name === group)) {
          throw new GatewayError('group_not_allowed', 'This group does not exist or you may not use it.', { param: 'group' })
        }
        return { body: pageOf('models', modelsOf(group, deps), (row) => row.id, readPaging(query)) }
      },
    }),
  ]
}

function modelsOf(group: string, { channels, prices }: Pick<ModelDeps, 'channels' | 'prices'>): ModelRow[] {
  return channels.modelsOf(group).flatMap((model) => {
    const price = prices.get(model)
    return price ? modelRow(model, price, channels.offering(group, model)) : []
  })
}

/** A row for one model: operations and dialects of all its channels, capabilities of the channel that is tried first. */
function modelRow(id: string, price: Price, offering: readonly Channel[]): ModelRow[] {
  const [first] = offering.toSorted((a, b) => b.priority - a.priority)
  if (!first) return []
  const { contextTokens = null, maxOutputTokens = null, serves: _, ...facts } = first.models.get(id)?.capabilities ?? {}
  const spoken = new Set(offering.flatMap((channel) => channel.speaks))
  return [
    {
      id,
      operations: operationsOf(id, offering),
      dialects: dialects.filter((dialect) => servedBy[dialect].some((upstream) => spoken.has(upstream))),
      price: price.fields,
      contextTokens,
      maxOutputTokens,
      capabilities: { ...facts },
    },
  ]
}
