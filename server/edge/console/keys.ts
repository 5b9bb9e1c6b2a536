/** API keys of the signed-in user. The key itself is in the answer that makes it and in no other. */
import { KeyPatch, NewKey } from '#shared/console/key'
import type { House } from '../house.ts'
import type { Route } from '../route.ts'
import { consoleRoute } from './console.ts'
import { pageOf, readPaging } from './page.ts'

export function keyRoutes(house: House): Route[] {
  const { keys } = house.accounts
  const id = '/api/keys/:id'
  return [
    consoleRoute(house, {
      method: 'GET',
      path: '/api/keys',
      who: 'session',
      handle: ({ user, query }) => {
        const rows = keys.ownedBy(user).map(keys.row)
        return { body: pageOf(rows, (row) => `${row.createdAt} ${row.id}`, readPaging(query)) }
      },
    }),
    consoleRoute(house, {
      method: 'POST',
      path: '/api/keys',
      who: 'session',
      body: NewKey,
      handle: async ({ user, body }) => {
        const { key, secret } = await keys.create(user, body)
        return { status: 201, body: { ...keys.row(key), key: secret } }
      },
    }),
    consoleRoute(house, {
      method: 'PATCH',
      path: id,
      who: 'session',
      body: KeyPatch,
      handle: async ({ visit, user, body }) => ({ body: keys.row(await keys.change(user, visit.params.id ?? '', body)) }),
    }),
    consoleRoute(house, {
      method: 'DELETE',
      path: id,
      who: 'session',
      handle: async ({ visit, user }) => {
        await keys.remove(user, visit.params.id ?? '')
        return { status: 204 }
      },
    }),
  ]
}
