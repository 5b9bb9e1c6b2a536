/**
 * Teams: administrators create and credit them, members see them, and their managers change members and caps. Permissions
 * within a team are checked in `server/accounts/teams`.
 */
import type { Member, Team, User } from '#accounts/caller'
import type { Members } from '#accounts/teams/members'
import type { Teams } from '#accounts/teams/teams'
import { withBudgetsLeft } from '#http/console/route/budgets-left'
import { consoleRoute, names } from '#http/console/route/console-route'
import { readIdempotencyKey } from '#http/console/route/idempotency-key'
import { mapPage, pageOf, paging, readPaging } from '#http/console/route/page'
import type { ConsoleServices } from '#http/console/route/services'
import type { Route, Visit } from '#http/request/route'
import { MemberPatch, type MemberRow, NewMember, NewTeam, TeamPatch } from '#shared/console/team'
import { Credit } from '#shared/console/user'
import { memberIdOf } from '#shared/ids'
import { entriesReply, entryQuery } from './entries.ts'

/** Dependencies. */
export interface TeamServices extends ConsoleServices {
  teams: Teams & { members: Members }
}

const path = '/api/teams/:id'

/** `/api/teams`: list, create, read, change, delete, credit, the entries of the wallet, and the members. */
export function teamRoutes(services: TeamServices): Route[] {
  const { teams } = services
  const rowsOf = async (user: User, found: readonly Team[]) =>
    withBudgetsLeft(services.budgetsLeft, 'user', ({ id }) => id, await teams.rows(user, found))
  const rowOf = async (user: User, team: Team) => (await rowsOf(user, [team]))[0]
  return [
    consoleRoute(services, {
      method: 'GET',
      path: '/api/teams',
      who: 'session',
      scope: 'teams',
      query: paging,
      handle: async ({ user, query }) => ({
        body: await mapPage(
          pageOf('teams', teams.seenBy(user), (team) => team.name, readPaging(query)),
          (page) => rowsOf(user, page),
        ),
      }),
    }),
    consoleRoute(services, {
      method: 'POST',
      path: '/api/teams',
      who: 'admin',
      scope: 'teams',
      fresh: names('balance'),
      body: NewTeam,
      handle: async ({ user, body }) => ({ status: 201, body: await rowOf(user, await teams.create(user, body)) }),
    }),
    consoleRoute(services, {
      method: 'GET',
      path,
      who: 'session',
      scope: 'teams',
      handle: async ({ visit, user }) => ({ body: await rowOf(user, teams.find(user, idOf(visit))) }),
    }),
    consoleRoute(services, {
      method: 'PATCH',
      path,
      who: 'admin',
      scope: 'teams',
      fresh: names('groups', 'models'),
      body: TeamPatch,
      handle: async ({ visit, user, body }) => ({ body: await rowOf(user, await teams.change(user, idOf(visit), body)) }),
    }),
    consoleRoute(services, {
      method: 'DELETE',
      path,
      who: 'admin',
      scope: 'teams',
      fresh: true,
      handle: async ({ visit, user }) => {
        await teams.remove(user, idOf(visit))
        return { status: 204 }
      },
    }),
    consoleRoute(services, {
      method: 'POST',
      path: `${path}/credit`,
      who: 'admin',
      scope: 'teams',
      fresh: true,
      body: Credit,
      handle: async ({ visit, user, body }) => {
        const key = readIdempotencyKey(visit.request)
        return { body: await rowOf(user, await teams.credit(user, idOf(visit), key, body)) }
      },
    }),
    consoleRoute(services, {
      method: 'GET',
      path: `${path}/entries`,
      who: 'session',
      scope: 'teams',
      query: entryQuery,
      handle: ({ visit, user, query }) =>
        entriesReply({ query, request: visit.request, clock: services.clock }, (asked) => teams.entries(user, idOf(visit), asked)),
    }),
    ...memberRoutes(services),
  ]
}

function memberRoutes(services: TeamServices): Route[] {
  const { members } = services.teams
  const rowsOf = async (teamId: string, found: readonly Member[]) =>
    withBudgetsLeft(services.budgetsLeft, 'member', (row: MemberRow) => memberIdOf(teamId, row.id), await members.rows(found))
  const rowOf = async (member: Member) => (await rowsOf(member.teamId, [member]))[0]
  return [
    consoleRoute(services, {
      method: 'GET',
      path: `${path}/members`,
      who: 'session',
      scope: 'teams',
      query: paging,
      handle: async ({ visit, user, query }) => ({
        body: await mapPage(
          pageOf(`members ${idOf(visit)}`, members.seenBy(user, idOf(visit)), ({ userId }) => userId, readPaging(query)),
          (page) => rowsOf(idOf(visit), page),
        ),
      }),
    }),
    consoleRoute(services, {
      method: 'POST',
      path: `${path}/members`,
      who: 'session',
      scope: 'teams',
      fresh: true,
      body: NewMember,
      handle: async ({ visit, user, body }) => ({ status: 201, body: await rowOf(await members.add(user, idOf(visit), body)) }),
    }),
    consoleRoute(services, {
      method: 'PATCH',
      path: `${path}/members/:user`,
      who: 'session',
      scope: 'teams',
      fresh: names('role'),
      body: MemberPatch,
      handle: async ({ visit, user, body }) => ({ body: await rowOf(await members.change(user, idOf(visit), userOf(visit), body)) }),
    }),
    consoleRoute(services, {
      method: 'DELETE',
      path: `${path}/members/:user`,
      who: 'session',
      scope: 'teams',
      handle: async ({ visit, user }) => {
        await members.remove(user, idOf(visit), userOf(visit))
        return { status: 204 }
      },
    }),
  ]
}

const idOf = ({ params }: Visit): string => params.id ?? ''
const userOf = ({ params }: Visit): string => params.user ?? ''
