/** Groups: those the signed-in user, or with `?team=` a team of theirs, may use; with `?all=true` all groups, for administrators, who manage them. */
import type { Group, User } from '#accounts/caller'
import { withBudgetsLeft } from '#http/console/route/budgets-left'
import { consoleRoute, names } from '#http/console/route/console-route'
import { readOne } from '#http/console/route/one-value'
import { mapPage, pageOf, paging, readPaging } from '#http/console/route/page'
import type { ConsoleServices } from '#http/console/route/services'
import type { Route } from '#http/request/route'
import { GroupPatch, type ManagedGroupRow, NewGroup } from '#shared/console/group'
import { GatewayError } from '#shared/errors'

/** `/api/groups`: list, create, change, delete. */
export function groupRoutes(services: ConsoleServices): Route[] {
  const { accounts } = services
  const { groups } = accounts
  const name = '/api/groups/:name'
  const complete = (rows: ManagedGroupRow[]) => withBudgetsLeft(services.budgetsLeft, 'group', ({ name }) => name, rows)
  const rowOf = async (group: Group, reader: User) => (await complete([groups.managedRow(group, reader)]))[0]
  return [
    consoleRoute(services, {
      method: 'GET',
      path: '/api/groups',
      who: 'session',
      scope: 'groups',
      query: [...paging, 'all', 'team'],
      async handle({ user, query }) {
        const page = <Row extends { name: string }>(rows: Row[]) => pageOf('groups', rows, (row) => row.name, readPaging(query))
        const payer = accounts.payerFor(user, readOne(query, 'team')).user
        if (!readAll(query)) return { body: page(accounts.groupsOf(payer).map(groups.row)) }
        if (user.role !== 'admin') throw onlyAdministrators()
        return { body: await mapPage(page([...groups.all()].map((group) => groups.managedRow(group, user))), complete) }
      },
    }),
    consoleRoute(services, {
      method: 'POST',
      path: '/api/groups',
      who: 'admin',
      scope: 'groups',
      body: NewGroup,
      handle: async ({ user, body }) => ({ status: 201, body: await rowOf(await groups.create(user, body), user) }),
    }),
    consoleRoute(services, {
      method: 'PATCH',
      path: name,
      who: 'admin',
      scope: 'groups',
      fresh: names('ratio'),
      body: GroupPatch,
      handle: async ({ visit, user, body }) => ({ body: await rowOf(await groups.change(user, visit.params.name ?? '', body), user) }),
    }),
    consoleRoute(services, {
      method: 'DELETE',
      path: name,
      who: 'admin',
      scope: 'groups',
      handle: async ({ visit, user }) => {
        await groups.remove(user, visit.params.name ?? '')
        return { status: 204 }
      },
    }),
  ]
}

function readAll(query: URLSearchParams): boolean {
  const all = query.getAll('all')
  if (all.length === 0 || (all.length === 1 && all[0] === 'false')) return false
  if (all.length === 1 && all[0] === 'true') return true
  throw new GatewayError('invalid_value', "all: expected 'true' or 'false', only once.", { param: 'all' })
}

const onlyAdministrators = () => new GatewayError('not_permitted', 'Only administrators may list all groups.', { param: 'all' })
