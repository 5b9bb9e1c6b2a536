/** What anyone may know about this installation, and what only its administrators may. */
import type { Status } from '#shared/console/model'
import type { House } from '../house.ts'
import type { Route, Visit } from '../route.ts'
import { readSessionCookie } from '../session-cookie.ts'
import { consoleRoute } from './console.ts'

export function statusRoutes(house: House): Route[] {
  const { accounts, version, publicUrl } = house
  const isAdmin = ({ request }: Visit) => accounts.userOfSession(readSessionCookie(request, publicUrl))?.role === 'admin'
  const status = (visit: Visit): Status => ({
    name: 'Parley',
    version,
    setup: accounts.setupNeeded() ? 'needed' : 'done',
    demo: house.demo(),
    ...(isAdmin(visit) && { config: house.config() }),
  })
  return [consoleRoute(house, { method: 'GET', path: '/api/status', who: 'anyone', handle: ({ visit }) => ({ body: status(visit) }) })]
}
