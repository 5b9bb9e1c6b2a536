/** Users and their money, for administrators. */
import { Credit, NewUser, UserPatch } from '#shared/console/user'
import { GatewayError } from '#shared/errors'
import type { House } from '../house.ts'
import type { Route } from '../route.ts'
import { withBudgetsLeft } from './budgets-left.ts'
import { consoleRoute } from './console.ts'
import { mapPage, pageOf, paging, readPaging } from './page.ts'

export function userRoutes(house: House): Route[] {
  const { users } = house.accounts
  const id = '/api/users/:id'
  return [
    consoleRoute(house, {
      method: 'GET',
      path: '/api/users',
      who: 'admin',
      query: paging,
      handle: async ({ query }) => ({
        body: await mapPage(
          pageOf('users', users.all(), (user) => user.name, readPaging(query)),
          (page) => rowsOf(house, page),
        ),
      }),
    }),
    consoleRoute(house, {
      method: 'POST',
      path: '/api/users',
      who: 'admin',
      body: NewUser,
      handle: async ({ user, body }) => ({ status: 201, body: await rowOf(house, await users.create(user, body)) }),
    }),
    consoleRoute(house, {
      method: 'PATCH',
      path: id,
      who: 'admin',
      body: UserPatch,
      handle: async ({ visit, user, body }) => ({ body: await rowOf(house, await users.change(user, visit.params.id ?? '', body)) }),
    }),
    consoleRoute(house, {
      method: 'DELETE',
      path: id,
      who: 'admin',
      handle: async ({ visit, user }) => {
        await users.remove(user, visit.params.id ?? '')
        return { status: 204 }
      },
    }),
    consoleRoute(house, {
      method: 'POST',
      path: `${id}/credit`,
      who: 'admin',
      body: Credit,
      handle: async ({ visit, user, body }) => {
        const key = readIdempotencyKey(visit.request)
        return { body: await rowOf(house, await users.credit(user, visit.params.id ?? '', key, body)) }
      },
    }),
  ]
}

type Known = Parameters<House['accounts']['users']['rows']>[0][number]

const rowsOf = async ({ accounts, budgetsLeft }: House, users: Known[]) =>
  withBudgetsLeft(budgetsLeft, 'user', ({ id }) => id, await accounts.users.rows(users))
const rowOf = async (house: House, user: Known) => (await rowsOf(house, [user]))[0]

/** The header that makes a repeated credit harmless. Throws `missing_field`, `invalid_value`. */
function readIdempotencyKey(request: Request): string {
  const param = 'Idempotency-Key'
  const key = request.headers.get(param)
  if (key === null) throw new GatewayError('missing_field', 'Send an Idempotency-Key header, so that no credit is posted twice.', { param })
  if (/^[\x21-\x7e]{1,200}$/.test(key)) return key
  throw new GatewayError('invalid_value', 'Idempotency-Key: expected 1 to 200 visible ASCII characters.', { param })
}
