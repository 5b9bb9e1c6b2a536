/** The catalogue, for administrators: every model that a channel offers or that has a price, with its price state and its revenue. */
import { consoleRoute } from '#http/console/route/console-route'
import { orderedList } from '#http/console/route/list-order'
import { cutPage, encodeCursor, pageOf, paging, readPaging } from '#http/console/route/page'
import type { ConsoleServices } from '#http/console/route/services'
import type { Route } from '#http/request/route'
import type { Channels } from '#routing/channel'
import {
  catalogueFilters,
  catalogueOrder,
  catalogueRow,
  catalogueTotals,
  type DatedPrices,
  isWantedModel,
  listed,
  readCatalogueQuestion,
} from './price-list.ts'
import { weekByModel } from './week.ts'

/** Dependencies. */
export interface CatalogueDeps extends ConsoleServices {
  channels: Channels
  prices: DatedPrices
}

/** `GET /api/catalogue` and its totals. */
export function catalogueRoutes(deps: CatalogueDeps): Route[] {
  const { channels, prices } = deps
  return [
    consoleRoute(deps, {
      method: 'GET',
      path: '/api/catalogue',
      who: 'admin',
      scope: 'prices',
      query: [...catalogueFilters, ...paging],
      handle: async ({ user, query }) => {
        const question = readCatalogueQuestion(query)
        const { order } = question
        const [list, keyOf, asked] = [orderedList('catalogue', order), catalogueOrder(order), readPaging(query)]
        const all = listed(channels, prices, await weekByModel(deps, user))
        const wanted = new Map(all.flatMap((one) => (isWantedModel(question, one) ? [[keyOf(one), one]] : [])))
        // Rows are built only for the models on the page.
        const page = pageOf(list, wanted.keys(), (key) => key, asked, order.down)
        const rows = page.data.flatMap((key) => wanted.get(key) ?? [])
        return { body: cutPage({ data: rows.map(catalogueRow), next: page.next }, ({ model }) => encodeCursor(list, keyIn(model))) }

        function keyIn(model: string): string {
          const one = rows.find((row) => row.model === model)
          return one ? keyOf(one) : ''
        }
      },
    }),
    consoleRoute(deps, {
      method: 'GET',
      path: '/api/catalogue/totals',
      who: 'admin',
      scope: 'prices',
      handle: async ({ user }) => ({ body: catalogueTotals(listed(channels, prices, await weekByModel(deps, user))) }),
    }),
  ]
}
