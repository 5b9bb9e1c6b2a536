/** What anyone may know about this installation, and what only its administrators may. */
import type { Status } from '#shared/console/model'
import type { ConsoleServices } from '../house.ts'
import type { Route, Visit } from '../route.ts'
import { readSessionCookie } from '../session-cookie.ts'
import { consoleRoute } from './console.ts'

export function statusRoutes(services: ConsoleServices): Route[] {
  const { accounts, version, publicUrl } = services
  const isAdmin = ({ request }: Visit) => accounts.userOfSession(readSessionCookie(request, publicUrl))?.role === 'admin'
  const status = (visit: Visit): Status => ({
    name: 'Parley',
    version,
    setup: accounts.setupNeeded() ? 'needed' : 'done',
    demo: services.demo(),
    ...(isAdmin(visit) && { config: services.config() }),
  })
  return [consoleRoute(services, { method: 'GET', path: '/api/status', who: 'anyone', handle: ({ visit }) => ({ body: status(visit) }) })]
}
