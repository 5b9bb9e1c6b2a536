/** Public facts about this installation, and some that only its administrators see. */

import { passkeySiteAt } from '#accounts/factors/passkeys'
import { consoleRoute } from '#http/console/route/console-route'
import type { ConsoleServices } from '#http/console/route/services'
import type { Route, Visit } from '#http/request/route'
import { readSessionCookie } from '#http/request/session-cookie'
import type { Status } from '#shared/console/model'

/** `GET /api/status`. */
export function statusRoutes(services: ConsoleServices): Route[] {
  const { accounts, version, publicUrl } = services
  const isAdmin = ({ request }: Visit) => accounts.userOfSession(readSessionCookie(request, publicUrl))?.role === 'admin'
  const status = (visit: Visit): Status => ({
    name: 'Parley',
    version,
    setup: accounts.setupNeeded() ? 'needed' : 'done',
    demo: services.demo(),
    ...(services.environment !== undefined && { environment: services.environment }),
    ...(services.identityProvider !== undefined && { singleSignOn: true }),
    ...(passkeySiteAt(publicUrl) && { passkeys: publicUrl.origin }),
    ...(isAdmin(visit) && { config: services.config(), bodies: services.bodies.state() }),
  })
  return [consoleRoute(services, { method: 'GET', path: '/api/status', who: 'anyone', handle: ({ visit }) => ({ body: status(visit) }) })]
}
