/** What anyone may know about this installation. */
import type { Status } from '#shared/console/model'
import type { House } from '../house.ts'
import type { Route } from '../route.ts'
import { consoleRoute } from './console.ts'

export function statusRoutes(house: House): Route[] {
  const { accounts, version } = house
  const status = (): Status => ({ name: 'Parley', version, setup: accounts.setupNeeded() ? 'needed' : 'done', demo: house.demo() })
  return [consoleRoute(house, { method: 'GET', path: '/api/status', who: 'anyone', handle: () => ({ body: status() }) })]
}
