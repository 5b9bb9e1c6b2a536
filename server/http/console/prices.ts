/** Prices: any signed-in user may read them, administrators set them. */
import type { Price } from '#billing/pricing/price'
import type { Prices } from '#billing/pricing/prices'
import type { Route } from '#http/request/route'
import { PriceFields, type PriceRow } from '#shared/console/price'
import { type ConsoleDeps, consoleRoute } from './console-route.ts'
import { pageOf, paging, readPaging } from './page.ts'

const rowOf = ({ model, managed, fields }: Price): PriceRow => ({ model, managed, ...fields })

/** `/api/prices`: list, set, delete. */
export function priceRoutes(deps: ConsoleDeps & { prices: Prices }): Route[] {
  const { prices } = deps
  return [
    consoleRoute(deps, {
      method: 'GET',
      path: '/api/prices',
      who: 'session',
      query: paging,
      handle: ({ query }) => ({ body: pageOf('prices', [...prices.all()].map(rowOf), (row) => row.model, readPaging(query)) }),
    }),
    consoleRoute(deps, {
      method: 'PUT',
      path: '/api/prices/:model',
      who: 'admin',
      body: PriceFields,
      handle: async ({ visit, user, body }) => ({ body: rowOf(await prices.put(user, visit.params.model ?? '', body)) }),
    }),
    consoleRoute(deps, {
      method: 'DELETE',
      path: '/api/prices/:model',
      who: 'admin',
      handle: async ({ visit, user }) => {
        await prices.remove(user, visit.params.model ?? '')
        return { status: 204 }
      },
    }),
  ]
}
