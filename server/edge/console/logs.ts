/** Usage rows: everyone reads their own, administrators all. */
import type { House } from '../house.ts'
import type { Route } from '../route.ts'
import { consoleRoute } from './console.ts'
import { readPaging } from './page.ts'

export function logRoutes(house: House): Route[] {
  const { usageLog } = house.accounts
  return [
    consoleRoute(house, {
      method: 'GET',
      path: '/api/logs',
      who: 'session',
      handle: async ({ user, query }) => ({ body: await usageLog.page(user, readPaging(query)) }),
    }),
    consoleRoute(house, {
      method: 'GET',
      path: '/api/logs/:requestId',
      who: 'session',
      handle: async ({ user, visit }) => ({ body: await usageLog.find(user, visit.params.requestId ?? '') }),
    }),
  ]
}
