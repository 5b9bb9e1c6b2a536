/** Creates the first administrator, given the setup token that was printed at startup. */

import { consoleRoute } from '#http/console/route/console-route'
import type { ConsoleServices } from '#http/console/route/services'
import { originOf } from '#http/request/origin'
import type { Route } from '#http/request/route'
import { writeSessionCookie } from '#http/request/session-cookie'
import { Setup } from '#shared/console/user'

/** `POST /api/setup`. */
export function setupRoutes(services: ConsoleServices): Route[] {
  const { accounts, publicUrl } = services
  return [
    consoleRoute(services, {
      method: 'POST',
      path: '/api/setup',
      who: 'anyone',
      body: Setup,
      handle: async ({ visit, body }) => {
        const { user, key } = await accounts.runSetup(body, visit.requestId)
        const { token } = await accounts.startSession(user, originOf(visit))
        const headers = { 'set-cookie': writeSessionCookie(publicUrl, token) }
        return { status: 201, headers, body: { user: await accounts.users.row(user), key } }
      },
    }),
  ]
}
