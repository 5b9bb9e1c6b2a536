/** Sign-in, sign-out, the sessions of the signed-in user, and their own password. */

import type { User } from '#accounts/caller'
import { consoleRoute } from '#http/console/route/console-route'
import { pageOf, paging, readPaging } from '#http/console/route/page'
import type { ConsoleServices } from '#http/console/route/services'
import { originOf } from '#http/request/origin'
import type { Route, Visit } from '#http/request/route'
import { clearSessionCookie, readSessionCookie } from '#http/request/session-cookie'
import { PasswordChange } from '#shared/console/session'
import { type SignedIn, SignIn } from '#shared/console/user'
import { provedCookies, signedInReply } from './signed-in.ts'

/** `/api/session`: sign in, read, sign out, own password. `/api/sessions`: list and end. */
export function sessionRoutes(services: ConsoleServices): Route[] {
  const { accounts, publicUrl } = services
  const path = '/api/session'
  const signedIn = async (user: User): Promise<SignedIn> => {
    const banner = services.banner()
    return { user: await accounts.users.row(user), ...(banner !== null && { banner }) }
  }
  const tokenOf = ({ request }: Visit) => readSessionCookie(request, publicUrl)
  return [
    consoleRoute(services, {
      method: 'POST',
      path,
      who: 'anyone',
      body: SignIn,
      handle: async ({ visit, body }) =>
        signedInReply(services, visit, await accounts.signIn(body.name, body.password, visit.clientAddress, originOf(visit))),
    }),
    consoleRoute(services, {
      method: 'GET',
      path,
      who: 'session',
      scope: 'any',
      enrols: true,
      handle: async ({ visit, user }) => {
        const mustEnrol = user.through === undefined && accounts.userOfSession(tokenOf(visit)) === undefined
        return { body: { ...(await signedIn(user)), address: visit.clientAddress, ...(mustEnrol && { mustEnrol: true }) } }
      },
    }),
    consoleRoute(services, {
      method: 'DELETE',
      path,
      who: 'session',
      enrols: true,
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
        const next = await accounts.changePassword(user, body, tokenOf(visit), originOf(visit))
        return { body: await signedIn(user), cookies: provedCookies(services, next) }
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
        await accounts.endSession(user, user, visit.params.id ?? '')
        return { status: 204 }
      },
    }),
  ]
}
