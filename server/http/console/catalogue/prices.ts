/** Prices: users may read those of models that they may use, administrators read and set all. */
import type { Group, User } from '#accounts/caller'
import type { Price } from '#billing/pricing/price'
import type { Prices } from '#billing/pricing/prices'
import { type ConsoleDeps, consoleRoute } from '#http/console/route/console-route'
import { contains, numberKey, orderedList, readOrder, readSearch } from '#http/console/route/list-order'
import { pageOf, paging, readPaging } from '#http/console/route/page'
import type { Route } from '#http/request/route'
import type { Channels } from '#routing/channel'
import { PriceFields, type PriceRow } from '#shared/console/price'
import { priceFigure } from './price-list.ts'

const rowOf = ({ model, managed, fields }: Price): PriceRow => ({ model, managed, ...fields })

/** What the price routes need from the program. */
export interface PriceDeps extends ConsoleDeps {
  accounts: ConsoleDeps['accounts'] & { groupsOf(user: User): readonly Group[] }
  channels: Pick<Channels, 'modelsOf'>
  prices: Prices
}

/** `/api/prices`: list, set, delete. */
export function priceRoutes(deps: PriceDeps): Route[] {
  const { accounts, channels, prices } = deps
  /** A price reveals its model, so users do not see prices of models that none of their groups has. */
  function visibleTo(user: User): Price[] {
    if (user.role === 'admin') return [...prices.all()]
    const usable = new Set(accounts.groupsOf(user).flatMap(({ name }) => channels.modelsOf(name)))
    return [...prices.all()].filter(({ model }) => usable.has(model))
  }
  return [
    consoleRoute(deps, {
      method: 'GET',
      path: '/api/prices',
      who: 'session',
      scope: 'prices',
      query: ['q', 'sort', ...paging],
      handle: ({ user, query }) => {
        const order = readOrder(query, ['model', 'input', 'output'], 'model')
        const q = readSearch(query)
        const found = visibleTo(user).filter(({ model }) => contains(q, model))
        const key = (row: PriceRow) =>
          order.field === 'model' ? row.model : `${numberKey(priceFigure(row, order.field) ?? -1)} ${row.model}`
        return { body: pageOf(orderedList('prices', order), found.map(rowOf), key, readPaging(query), order.down) }
      },
    }),
    consoleRoute(deps, {
      method: 'PUT',
      path: '/api/prices/:model',
      who: 'admin',
      scope: 'prices',
      fresh: true,
      body: PriceFields,
      handle: async ({ visit, user, body }) => ({ body: rowOf(await prices.put(user, visit.params.model ?? '', body)) }),
    }),
    consoleRoute(deps, {
      method: 'DELETE',
      path: '/api/prices/:model',
      who: 'admin',
      scope: 'prices',
      fresh: true,
      handle: async ({ visit, user }) => {
        await prices.remove(user, visit.params.model ?? '')
        return { status: 204 }
      },
    }),
  ]
}
