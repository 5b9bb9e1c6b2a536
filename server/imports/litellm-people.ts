/** Users and teams of LiteLLM's database. Pure. */
import type { DeclaredTeam } from '#shared/console/team'
import type { NewUser } from '#shared/console/user'
import { allowed, isObject, limitsOf, type Row, spendingOf, strange, textOf } from './litellm-rows.ts'
import { columns, commonColumns, type LiteLlmDesk } from './litellm-tables.ts'
import { uniqueNames } from './moved.ts'

/** A user who may have keys. */
export interface LiteLlmHolder {
  name: string
  /** Undefined: all. */
  models: string[] | undefined
}

/** Users with what their keys need of them. */
export interface LiteLlmUsers {
  users: NewUser[]
  /** By their ids there. */
  holders: ReadonlyMap<string, LiteLlmHolder>
  /** The owner of keys without one; created on first use. */
  nobody(): string
}

const userColumns = columns('user_id user_alias user_email user_role password teams team_id', commonColumns)
const teamColumns = columns('team_id team_alias members members_with_roles admins blocked', commonColumns)
/** Name of the owner of keys without one. */
const nameOfNobody = 'litellm'
/** The team of its own UI sessions. */
export const ofItsPages = 'litellm-dashboard'

/** The users. */
export function liteLlmUsers(desk: LiteLlmDesk): LiteLlmUsers {
  const nameOf = uniqueNames()
  const users: NewUser[] = []
  const holders = new Map<string, LiteLlmHolder>()
  for (const row of desk.of('LiteLLM_UserTable')) {
    const user = userOf(row, nameOf(textOf(row.user_alias) || textOf(row.user_email) || textOf(row.user_id)), desk)
    users.push(user)
    holders.set(textOf(row.user_id), { name: user.name, models: allowed(row.models) })
  }
  let nobody: string | undefined
  return {
    users,
    holders,
    nobody() {
      if (nobody === undefined) {
        nobody = nameOf(nameOfNobody)
        users.push({ name: nobody, role: 'user', ...desk.opening(undefined, desk.complainsOf(`user ${nobody}`)) })
      }
      return nobody
    },
  }
}

function userOf(row: Row, name: string, desk: LiteLlmDesk): NewUser {
  const complain = desk.complainsOf(`user ${name}`)
  const role = textOf(row.user_role)
  const { budget, left } = spendingOf(row, undefined, complain)
  const limits = limitsOf(row, undefined, complain)
  const user: NewUser = {
    name,
    role: role === 'proxy_admin' ? 'admin' : 'user',
    ...desk.opening(left, complain),
    ...(budget !== undefined && left === undefined && { budget }),
    ...(limits && { limits }),
  }
  if (role.includes('viewer')) complain('user_role', `${role}: an ordinary user here`)
  if (row.password) complain('password', 'is hashed differently: an administrator must set a new one, or users sign in by single sign-on')
  if (row.user_email && textOf(row.user_alias) !== '') complain('user_email', 'is not stored here')
  strange(row, userColumns, complain)
  return user
}

/** The teams with their members, by their ids there. */
export function liteLlmTeams(desk: LiteLlmDesk, holders: LiteLlmUsers['holders']): Map<string, DeclaredTeam> {
  const nameOf = uniqueNames()
  const teams = new Map<string, DeclaredTeam>()
  const places = new Map(desk.of('LiteLLM_TeamMembership').map((row) => [`${textOf(row.team_id)} ${textOf(row.user_id)}`, row]))
  for (const row of desk.of('LiteLLM_TeamTable')) {
    const id = textOf(row.team_id)
    if (id === ofItsPages) continue
    const name = nameOf(textOf(row.team_alias) || id)
    const complain = desk.complainsOf(`team ${name}`)
    if (row.blocked === true) {
      complain('blocked', 'is blocked there: left out with all keys')
      continue
    }
    const { budget, left } = spendingOf(row, undefined, complain)
    const limits = limitsOf(row, undefined, complain)
    const models = allowed(row.models)
    teams.set(id, {
      name,
      ...desk.opening(left, complain),
      ...(budget !== undefined && left === undefined && { budget }),
      ...(limits && { limits }),
      ...(models && { models }),
      members: membersOf(row, name, holders, (userId) => places.get(`${id} ${userId}`), desk),
    })
    strange(row, teamColumns, complain)
  }
  return teams
}

type Members = NonNullable<DeclaredTeam['members']>

/** `placeOf`: the row of a membership by user id. */
function membersOf(
  team: Row,
  name: string,
  holders: LiteLlmUsers['holders'],
  placeOf: (userId: string) => Row | undefined,
  desk: LiteLlmDesk,
): Members {
  const complain = desk.complainsOf(`team ${name}`)
  const members: Members = []
  for (const { id, role } of listedMembers(team)) {
    const user = holders.get(id)?.name
    if (user === undefined) {
      complain('members_with_roles', `${id || 'one without an id'} is not a user there: left out`)
      continue
    }
    const place = placeOf(id)
    const shared = place && desk.budgetOf(place)
    const cap = place && spendingOf({ spend: place.spend }, shared, complain).budget
    if (shared && limitsOf({}, shared, () => undefined))
      complain('rpm_limit', `of the member ${user} has no equivalent here: limits apply to keys and teams`)
    members.push({ user, role, ...(cap && { budget: cap }) })
  }
  return members
}

function listedMembers(row: Row): { id: string; role: 'manager' | 'member' }[] {
  const listed = Array.isArray(row.members_with_roles) ? row.members_with_roles.filter(isObject) : []
  const found = listed.map((one) => ({ id: textOf(one.user_id), role: one.role === 'admin' ? ('manager' as const) : ('member' as const) }))
  return found.filter(({ id }, at) => found.findIndex((other) => other.id === id) === at)
}
