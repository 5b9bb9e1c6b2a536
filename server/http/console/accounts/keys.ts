/** API keys: the caller's own, and for administrators all users'. Only responses that create a secret contain it. */
import type { ApiKey, User } from '#accounts/caller'
import { withBudgetsLeft } from '#http/console/route/budgets-left'
import { consoleRoute } from '#http/console/route/console-route'
import { orderedList } from '#http/console/route/list-order'
import { mapPage, pageOf, paging, readPaging } from '#http/console/route/page'
import type { ConsoleServices } from '#http/console/route/services'
import type { Route } from '#http/request/route'
import { KeyPatch, type KeyRow, NewKey, Rotation } from '#shared/console/key'
import { groupOfKey, type KeyQuestion, keyFilters, matches, orderOf, readKeyQuestion } from './key-list.ts'

const hourMs = 3_600_000

/** `/api/keys`: list, create, read, change, rotate, delete. */
export function keyRoutes(services: ConsoleServices): Route[] {
  const { keys } = services.accounts
  const id = '/api/keys/:id'
  const complete = (rows: KeyRow[]) => withBudgetsLeft(services.budgetsLeft, 'key', ({ id }) => id, rows)
  const rowOf = async (key: ApiKey) => (await complete([keys.row(key)]))[0]
  const ofUsers = (user: User, { all, user: named }: KeyQuestion) => (all || named !== undefined ? keys.all() : keys.ownedBy(user))
  return [
    consoleRoute(services, {
      method: 'GET',
      path: '/api/keys',
      who: 'session',
      scope: 'keys',
      query: [...keyFilters, ...paging],
      handle: async ({ user, query }) => {
        const question = readKeyQuestion(query, user)
        const now = services.clock.now()
        const found = question.team !== undefined ? keys.ofTeam(user, question.team) : ofUsers(user, question)
        const groupOf = ({ group, user, team }: KeyRow) =>
          groupOfKey(services.accounts.directory, { group, userId: user.id, teamId: team?.id ?? null })
        const rows = found.map(keys.row).filter((row) => matches(row, question, groupOf, now))
        const { order } = question
        return { body: await mapPage(pageOf(orderedList('keys', order), rows, orderOf(order), readPaging(query), order.down), complete) }
      },
    }),
    consoleRoute(services, {
      method: 'POST',
      path: '/api/keys',
      who: 'session',
      scope: 'keys',
      body: NewKey,
      handle: async ({ user, body }) => {
        const { key, secret } = await keys.create(user, body)
        return { status: 201, body: { ...(await rowOf(key)), key: secret } }
      },
    }),
    consoleRoute(services, {
      method: 'GET',
      path: id,
      who: 'session',
      scope: 'keys',
      handle: async ({ visit, user }) => ({ body: await rowOf(keys.find(user, visit.params.id ?? '')) }),
    }),
    consoleRoute(services, {
      method: 'PATCH',
      path: id,
      who: 'session',
      scope: 'keys',
      body: KeyPatch,
      handle: async ({ visit, user, body }) => ({ body: await rowOf(await keys.change(user, visit.params.id ?? '', body)) }),
    }),
    consoleRoute(services, {
      method: 'POST',
      path: `${id}/rotate`,
      who: 'session',
      scope: 'keys',
      body: Rotation,
      handle: async ({ visit, user, body }) => {
        const { key, secret } = await keys.rotate(user, visit.params.id ?? '', body.overlapHours * hourMs)
        return { body: { ...(await rowOf(key)), key: secret } }
      },
    }),
    consoleRoute(services, {
      method: 'DELETE',
      path: id,
      who: 'session',
      scope: 'keys',
      handle: async ({ visit, user }) => {
        await keys.remove(user, visit.params.id ?? '')
        return { status: 204 }
      },
    }),
  ]
}
