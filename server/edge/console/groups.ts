/** Groups: what the signed-in user may choose from, and their care by administrators. */
import { GroupPatch, NewGroup } from '#shared/console/group'
import type { House } from '../house.ts'
import type { Route } from '../route.ts'
import { consoleRoute } from './console.ts'
import { pageOf, readPaging } from './page.ts'

export function groupRoutes(house: House): Route[] {
  const { accounts } = house
  const { groups } = accounts
  const name = '/api/groups/:name'
  return [
    consoleRoute(house, {
      method: 'GET',
      path: '/api/groups',
      who: 'session',
      handle: ({ user, query }) => ({ body: pageOf(accounts.groupsOf(user).map(groups.row), (row) => row.name, readPaging(query)) }),
    }),
    consoleRoute(house, {
      method: 'POST',
      path: '/api/groups',
      who: 'admin',
      body: NewGroup,
      handle: async ({ user, body }) => ({ status: 201, body: groups.row(await groups.create(user, body)) }),
    }),
    consoleRoute(house, {
      method: 'PATCH',
      path: name,
      who: 'admin',
      body: GroupPatch,
      handle: async ({ visit, user, body }) => ({ body: groups.row(await groups.change(user, visit.params.name ?? '', body)) }),
    }),
    consoleRoute(house, {
      method: 'DELETE',
      path: name,
      who: 'admin',
      handle: async ({ visit, user }) => {
        await groups.remove(user, visit.params.name ?? '')
        return { status: 204 }
      },
    }),
  ]
}
