/** Groups: those the signed-in user, or with `?team=` a team of theirs, may use; with `?all=true` all groups, for administrators, who manage them. */
import type { Group, User } from '#accounts/caller'
import { withBudgetsLeft } from '#http/console/route/budgets-left'
import { consoleRoute, names } from '#http/console/route/console-route'
import { orderedList, readOneOf } from '#http/console/route/list-order'
import { readOne } from '#http/console/route/one-value'
import { mapPage, pageOf, paging, readPaging } from '#http/console/route/page'
import type { ConsoleServices } from '#http/console/route/services'
import type { Route } from '#http/request/route'
import { GroupPatch, type ManagedGroupRow, NewGroup } from '#shared/console/group'
import { GatewayError } from '#shared/errors'
import { contentsOf, groupFilters, groupOrder, isWantedGroup, readGroupQuestion, type Serving } from './group-list.ts'

/** `/api/groups`: list, create, change, delete. */
export function groupRoutes(services: ConsoleServices & { channels: Serving }): Route[] {
  const { accounts } = services
  const name = '/api/groups/:name'
  const contents = () => contentsOf(accounts.directory, services.channels)
  const complete = (rows: ManagedGroupRow[]) => withBudgetsLeft(services.budgetsLeft, 'group', ({ name }) => name, rows)
  const rowOf = async (group: Group, reader: User) =>
    (await complete([{ ...accounts.groups.managedRow(group, reader), contents: contents()(group.name) }]))[0]
  return [
    consoleRoute(services, {
      method: 'GET',
      path: '/api/groups',
      who: 'session',
      scope: 'groups',
      query: [...groupFilters, ...paging, 'all', 'team'],
      async handle({ user, query }) {
        const payer = accounts.payerFor(user, readOne(query, 'team')).user
        const question = readGroupQuestion(query)
        const { order } = question
        const inside = contents()
        const page = <Row extends { name: string; ratio: string }>(rows: Row[]) =>
          pageOf(orderedList('groups', order), rows, groupOrder(order, inside), readPaging(query), order.down)
        const wanted = (all: Iterable<Group>) => [...all].filter((group) => isWantedGroup(question, group))
        if (readOneOf(query, 'all', ['true', 'false']) !== 'true')
          return { body: page(wanted(accounts.groupsOf(payer)).map(accounts.groups.row)) }
        if (user.role !== 'admin') throw onlyAdministrators()
        const rows = wanted(accounts.groups.all()).map((group) => ({
          ...accounts.groups.managedRow(group, user),
          contents: inside(group.name),
        }))
        return { body: await mapPage(page(rows), complete) }
      },
    }),
    consoleRoute(services, {
      method: 'POST',
      path: '/api/groups',
      who: 'admin',
      scope: 'groups',
      body: NewGroup,
      handle: async ({ user, body }) => ({ status: 201, body: await rowOf(await accounts.groups.create(user, body), user) }),
    }),
    consoleRoute(services, {
      method: 'PATCH',
      path: name,
      who: 'admin',
      scope: 'groups',
      fresh: names('ratio'),
      body: GroupPatch,
      handle: async ({ visit, user, body }) => ({
        body: await rowOf(await accounts.groups.change(user, visit.params.name ?? '', body), user),
      }),
    }),
    consoleRoute(services, {
      method: 'DELETE',
      path: name,
      who: 'admin',
      scope: 'groups',
      handle: async ({ visit, user }) => {
        await accounts.groups.remove(user, visit.params.name ?? '')
        return { status: 204 }
      },
    }),
  ]
}

const onlyAdministrators = () => new GatewayError('not_permitted', 'Only administrators may list all groups.', { param: 'all' })
