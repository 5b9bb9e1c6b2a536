/** Sign-in, sign-out and the current session. */

import type { Route } from '#http/request/route'
import { clearSessionCookie, readSessionCookie, writeSessionCookie } from '#http/request/session-cookie'
import { SignIn } from '#shared/console/user'
import { consoleRoute } from './console-route.ts'
import type { ConsoleServices } from './services.ts'

/** `/api/session`: sign in, read, sign out. */
export function sessionRoutes(services: ConsoleServices): Route[] {
  const { accounts, publicUrl } = services
  const path = '/api/session'
  return [
    consoleRoute(services, {
      method: 'POST',
      path,
      who: 'anyone',
      body: SignIn,
      handle: async ({ visit, body }) => {
        const { user, token } = await accounts.signIn(body.name, body.password, visit.clientAddress)
        // Ends the session that the browser already had.
        await accounts.signOut(readSessionCookie(visit.request, publicUrl))
        const headers = { 'set-cookie': writeSessionCookie(publicUrl, token) }
        return { headers, body: { user: await accounts.users.row(user) } }
      },
    }),
    consoleRoute(services, {
      method: 'GET',
      path,
      who: 'session',
      handle: async ({ user }) => ({ body: { user: await accounts.users.row(user) } }),
    }),
    consoleRoute(services, {
      method: 'DELETE',
      path,
      who: 'session',
      handle: async ({ visit }) => {
        await accounts.signOut(readSessionCookie(visit.request, publicUrl))
        return { status: 204, headers: { 'set-cookie': clearSessionCookie(publicUrl) } }
      },
    }),
  ]
}
