/** The sessions of any user, for administrators: listing and ending them. */
import { consoleRoute } from '#http/console/route/console-route'
import { pageOf, paging, readPaging } from '#http/console/route/page'
import type { ConsoleServices } from '#http/console/route/services'
import type { Route, Visit } from '#http/request/route'
import { readSessionCookie } from '#http/request/session-cookie'

/** `/api/users/:id/sessions`: list, end one, end all. `DELETE /api/sessions`: of all users. */
export function userSessionRoutes(services: ConsoleServices): Route[] {
  const { accounts, publicUrl } = services
  const path = '/api/users/:id/sessions'
  const ownerOf = ({ params }: Visit) => accounts.users.find(params.id ?? '')
  const sessionsOf = (visit: Visit) => accounts.sessionsOf(ownerOf(visit), readSessionCookie(visit.request, publicUrl))
  return [
    consoleRoute(services, {
      method: 'DELETE',
      path: '/api/sessions',
      who: 'admin',
      scope: 'users',
      fresh: true,
      handle: async ({ visit, user }) => ({
        body: { ended: await accounts.endEverySession(user, readSessionCookie(visit.request, publicUrl)) },
      }),
    }),
    consoleRoute(services, {
      method: 'GET',
      path,
      who: 'admin',
      scope: 'users',
      query: paging,
      handle: ({ visit, query }) => ({
        body: pageOf('user sessions', sessionsOf(visit), ({ at, id }) => `${at} ${id}`, readPaging(query), true),
      }),
    }),
    consoleRoute(services, {
      method: 'DELETE',
      path: `${path}/:session`,
      who: 'admin',
      scope: 'users',
      handle: async ({ visit, user }) => {
        await accounts.endSession(user, ownerOf(visit), visit.params.session ?? '')
        return { status: 204 }
      },
    }),
    consoleRoute(services, {
      method: 'DELETE',
      path,
      who: 'admin',
      scope: 'users',
      handle: async ({ visit, user }) => {
        const owner = ownerOf(visit)
        // The caller's own session stays.
        for (const { id, current } of sessionsOf(visit)) if (!current) await accounts.endSession(user, owner, id)
        return { status: 204 }
      },
    }),
  ]
}
