/** Users and their balances, for administrators. */

import { withBudgetsLeft } from '#http/console/route/budgets-left'
import { type Asker, consoleRoute, names } from '#http/console/route/console-route'
import { readIdempotencyKey } from '#http/console/route/idempotency-key'
import { orderedList } from '#http/console/route/list-order'
import { mapPage, pageOf, paging, readPaging } from '#http/console/route/page'
import type { ConsoleServices } from '#http/console/route/services'
import type { Route } from '#http/request/route'
import { Credit, NewUser, UserPatch } from '#shared/console/user'
import { GatewayError } from '#shared/errors'
import { entriesReply, entryQuery } from './entries.ts'
import { isWanted, keysOf, readUserQuestion, totalsOf, userFilters } from './user-list.ts'

/** `/api/users`: list, create, change, delete, credit, and the entries of a wallet. */
export function userRoutes(services: ConsoleServices): Route[] {
  const { users } = services.accounts
  const id = '/api/users/:id'
  return [
    consoleRoute(services, {
      method: 'GET',
      path: '/api/users',
      who: 'admin',
      scope: 'users',
      query: [...userFilters, ...paging],
      handle: async ({ user, query }) => {
        const question = readUserQuestion(query)
        const { order } = question
        const key = await keysOf(services, user, order)
        const wanted = [...users.all()].filter((one) => isWanted(question, one))
        const page = pageOf(orderedList('users', order), wanted, key, readPaging(query), order.down)
        return { body: await mapPage(page, (rows) => rowsOf(services, rows)) }
      },
    }),
    consoleRoute(services, {
      method: 'GET',
      path: '/api/users/totals',
      who: 'admin',
      scope: 'users',
      handle: async () => ({ body: await totalsOf(services) }),
    }),
    consoleRoute(services, {
      method: 'GET',
      path: id,
      who: 'admin',
      scope: 'users',
      handle: async ({ visit }) => ({ body: await rowOf(services, users.find(visit.params.id ?? '')) }),
    }),
    consoleRoute(services, {
      method: 'POST',
      path: '/api/users',
      who: 'admin',
      scope: 'users',
      fresh: ({ role, balance }) => role === 'admin' || balance !== undefined,
      body: NewUser,
      handle: async ({ user, body }) => {
        refuseAdministrators(user, body)
        return { status: 201, body: await rowOf(services, await users.create(user, body)) }
      },
    }),
    consoleRoute(services, {
      method: 'PATCH',
      path: id,
      who: 'admin',
      scope: 'users',
      fresh: names('password', 'role', 'group', 'groups'),
      body: UserPatch,
      handle: async ({ visit, user, body }) => {
        const id = visit.params.id ?? ''
        refuseAdministrators(user, body, users.find(id))
        return { body: await rowOf(services, await users.change(user, id, body)) }
      },
    }),
    consoleRoute(services, {
      method: 'DELETE',
      path: id,
      who: 'admin',
      scope: 'users',
      fresh: true,
      handle: async ({ visit, user }) => {
        await users.remove(user, visit.params.id ?? '')
        return { status: 204 }
      },
    }),
    consoleRoute(services, {
      method: 'GET',
      path: `${id}/entries`,
      who: 'admin',
      scope: 'users',
      query: entryQuery,
      handle: ({ visit, query }) =>
        entriesReply({ query, request: visit.request, clock: services.clock }, (asked) => users.entries(visit.params.id ?? '', asked)),
    }),
    consoleRoute(services, {
      method: 'POST',
      path: `${id}/credit`,
      who: 'admin',
      scope: 'users',
      fresh: true,
      body: Credit,
      handle: async ({ visit, user, body }) => {
        const key = readIdempotencyKey(visit.request)
        return { body: await rowOf(services, await users.credit(user, visit.params.id ?? '', key, body)) }
      },
    }),
  ]
}

/**
 * Whoever can sign in as an administrator can do everything, so a management key would exceed its scopes. `before`: the current
 * user. Throws `not_permitted`.
 */
function refuseAdministrators({ through }: Asker, { password, role }: UserPatch, before?: Known): void {
  if (through && (role === 'admin' || (before?.role === 'admin' && password !== undefined))) {
    throw new GatewayError('not_permitted', 'A management key may not create administrators or set their passwords: sign in to do that.')
  }
}

type Known = Parameters<ConsoleServices['accounts']['users']['rows']>[0][number]

const rowsOf = async ({ accounts, budgetsLeft }: ConsoleServices, users: Known[]) =>
  withBudgetsLeft(budgetsLeft, 'user', ({ id }) => id, await accounts.users.rows(users))
const rowOf = async (services: ConsoleServices, user: Known) => (await rowsOf(services, [user]))[0]
