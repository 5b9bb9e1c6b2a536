/** API keys of the signed-in user. Only the response that creates a key contains the key itself. */
import type { ApiKey } from '#accounts/caller'
import type { Route } from '#http/request/route'
import { KeyPatch, type KeyRow, NewKey } from '#shared/console/key'
import { withBudgetsLeft } from './budgets-left.ts'
import { consoleRoute } from './console-route.ts'
import { mapPage, pageOf, paging, readPaging } from './page.ts'
import type { ConsoleServices } from './services.ts'

/** `/api/keys`: list, create, change, delete. */
export function keyRoutes(services: ConsoleServices): Route[] {
  const { keys } = services.accounts
  const id = '/api/keys/:id'
  const complete = (rows: KeyRow[]) => withBudgetsLeft(services.budgetsLeft, 'key', ({ id }) => id, rows)
  const rowOf = async (key: ApiKey) => (await complete([keys.row(key)]))[0]
  return [
    consoleRoute(services, {
      method: 'GET',
      path: '/api/keys',
      who: 'session',
      query: paging,
      handle: async ({ user, query }) => {
        const page = pageOf('keys', keys.ownedBy(user), (key) => `${key.createdAt.toISOString()} ${key.id}`, readPaging(query))
        return { body: await mapPage(page, (found) => complete(found.map(keys.row))) }
      },
    }),
    consoleRoute(services, {
      method: 'POST',
      path: '/api/keys',
      who: 'session',
      body: NewKey,
      handle: async ({ user, body }) => {
        const { key, secret } = await keys.create(user, body)
        return { status: 201, body: { ...(await rowOf(key)), key: secret } }
      },
    }),
    consoleRoute(services, {
      method: 'PATCH',
      path: id,
      who: 'session',
      body: KeyPatch,
      handle: async ({ visit, user, body }) => ({ body: await rowOf(await keys.change(user, visit.params.id ?? '', body)) }),
    }),
    consoleRoute(services, {
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
