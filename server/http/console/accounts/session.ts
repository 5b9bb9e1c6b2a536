/** Sign-in, sign-out, the sessions of the signed-in user, and their own password. */

import { consoleRoute } from '#http/console/route/console-route'
import { pageOf, paging, readPaging } from '#http/console/route/page'
import type { ConsoleServices } from '#http/console/route/services'
import { originOf } from '#http/request/origin'
import type { Route, Visit } from '#http/request/route'
import { clearSessionCookie, readSessionCookie, writeSessionCookie } from '#http/request/session-cookie'
import { PasswordChange } from '#shared/console/session'
import { SignIn } from '#shared/console/user'

/** `/api/session`: sign in, read, sign out, own password. `/api/sessions`: list and end. */
export function sessionRoutes(services: ConsoleServices): Route[] {
  const { accounts, publicUrl } = services
  const path = '/api/session'
  const tokenOf = ({ request }: Visit) => readSessionCookie(request, publicUrl)
  return [
    consoleRoute(services, {
      method: 'POST',
      path,
      who: 'anyone',
      body: SignIn,
      handle: async ({ visit, body }) => {
        const { user, token } = await accounts.signIn(body.name, body.password, visit.clientAddress, originOf(visit))
        // Ends the session that the browser already had.
        await accounts.signOut(tokenOf(visit), visit.requestId)
        const headers = { 'set-cookie': writeSessionCookie(publicUrl, token) }
        return { headers, body: { user: await accounts.users.row(user) } }
      },
    }),
    consoleRoute(services, {
      method: 'GET',
      path,
      who: 'session',
      scope: 'any',
      handle: async ({ user }) => ({ body: { user: await accounts.users.row(user) } }),
    }),
    consoleRoute(services, {
      method: 'DELETE',
      path,
      who: 'session',
      handle: async ({ visit }) => {
        await accounts.signOut(tokenOf(visit), visit.requestId)
        return { status: 204, headers: { 'set-cookie': clearSessionCookie(publicUrl) } }
      },
    }),
    consoleRoute(services, {
      method: 'PATCH',
      path: `${path}/password`,
      who: 'session',
      body: PasswordChange,
      handle: async ({ visit, user, body }) => {
        await accounts.changePassword(user, body, tokenOf(visit), originOf(visit))
        return { body: { user: await accounts.users.row(user) } }
      },
    }),
    consoleRoute(services, {
      method: 'GET',
      path: '/api/sessions',
      who: 'session',
      query: paging,
      handle: ({ visit, user, query }) => {
        const rows = accounts.sessionsOf(user, tokenOf(visit))
        return { body: pageOf('sessions', rows, (row) => `${row.at} ${row.id}`, readPaging(query)) }
      },
    }),
    consoleRoute(services, {
      method: 'DELETE',
      path: '/api/sessions/:id',
      who: 'session',
      handle: async ({ visit, user }) => {
        await accounts.endSession(user, visit.params.id ?? '')
        return { status: 204 }
      },
    }),
  ]
}
