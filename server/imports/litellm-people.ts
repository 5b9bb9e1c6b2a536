/** Users and teams of LiteLLM's database. Pure. */
import type { DeclaredTeam } from '#shared/console/team'
import type { NewUser } from '#shared/console/user'
import { allowed, isObject, limitsOf, noteUnknownFields, type Row, spendingOf, textOf } from './litellm-rows.ts'
import { columns, commonColumns, type LiteLlmContext } from './litellm-tables.ts'
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
const defaultOwner = 'litellm'
/** The team of its own UI sessions. */
export const uiTeam = 'litellm-dashboard'

/** The users. */
export function liteLlmUsers(context: LiteLlmContext): LiteLlmUsers {
  const nameOf = uniqueNames()
  const users: NewUser[] = []
  const holders = new Map<string, LiteLlmHolder>()
  for (const row of context.of('LiteLLM_UserTable')) {
    const user = userOf(row, nameOf(textOf(row.user_alias) || textOf(row.user_email) || textOf(row.user_id)), context)
    users.push(user)
    holders.set(textOf(row.user_id), { name: user.name, models: allowed(row.models) })
  }
  let nobody: string | undefined
  return {
    users,
    holders,
    nobody() {
      if (nobody === undefined) {
        nobody = nameOf(defaultOwner)
        users.push({ name: nobody, role: 'user', ...context.opening(undefined, context.remarksOn(`user ${nobody}`)) })
      }
      return nobody
    },
  }
}

function userOf(row: Row, name: string, context: LiteLlmContext): NewUser {
  const remark = context.remarksOn(`user ${name}`)
  const role = textOf(row.user_role)
  const { budget, left } = spendingOf(row, undefined, remark)
  const limits = limitsOf(row, undefined, remark)
  const user: NewUser = {
    name,
    role: role === 'proxy_admin' ? 'admin' : 'user',
    ...context.opening(left, remark),
    ...(budget !== undefined && left === undefined && { budget }),
    ...(limits && { limits }),
  }
  if (role.includes('viewer')) remark('user_role', `${role}: an ordinary user here`)
  if (row.password) remark('password', 'is hashed differently: an administrator must set a new one, or users sign in by single sign-on')
  if (row.user_email && textOf(row.user_alias) !== '') remark('user_email', 'is not stored here')
  noteUnknownFields(row, userColumns, remark)
  return user
}

/** The teams with their members, by their ids there. */
export function liteLlmTeams(context: LiteLlmContext, holders: LiteLlmUsers['holders']): Map<string, DeclaredTeam> {
  const nameOf = uniqueNames()
  const teams = new Map<string, DeclaredTeam>()
  const places = new Map(context.of('LiteLLM_TeamMembership').map((row) => [`${textOf(row.team_id)} ${textOf(row.user_id)}`, row]))
  for (const row of context.of('LiteLLM_TeamTable')) {
    const id = textOf(row.team_id)
    if (id === uiTeam) continue
    const name = nameOf(textOf(row.team_alias) || id)
    const remark = context.remarksOn(`team ${name}`)
    if (row.blocked === true) {
      remark('blocked', 'is blocked there: left out with all keys')
      continue
    }
    const { budget, left } = spendingOf(row, undefined, remark)
    const limits = limitsOf(row, undefined, remark)
    const models = allowed(row.models)
    teams.set(id, {
      name,
      ...context.opening(left, remark),
      ...(budget !== undefined && left === undefined && { budget }),
      ...(limits && { limits }),
      ...(models && { models }),
      members: membersOf(row, name, holders, (userId) => places.get(`${id} ${userId}`), context),
    })
    noteUnknownFields(row, teamColumns, remark)
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
  context: LiteLlmContext,
): Members {
  const remark = context.remarksOn(`team ${name}`)
  const members: Members = []
  for (const { id, role } of listedMembers(team)) {
    const user = holders.get(id)?.name
    if (user === undefined) {
      remark('members_with_roles', `${id || 'one without an id'} is not a user there: left out`)
      continue
    }
    const place = placeOf(id)
    const shared = place && context.budgetOf(place)
    const cap = place && spendingOf({ spend: place.spend }, shared, remark).budget
    if (shared && limitsOf({}, shared, () => undefined))
      remark('rpm_limit', `of the member ${user} has no equivalent here: limits apply to keys and teams`)
    members.push({ user, role, ...(cap && { budget: cap }) })
  }
  return members
}

function listedMembers(row: Row): { id: string; role: 'manager' | 'member' }[] {
  const listed = Array.isArray(row.members_with_roles) ? row.members_with_roles.filter(isObject) : []
  const found = listed.map((one) => ({ id: textOf(one.user_id), role: one.role === 'admin' ? ('manager' as const) : ('member' as const) }))
  return found.filter(({ id }, at) => found.findIndex((other) => other.id === id) === at)
}
