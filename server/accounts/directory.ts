/** Users, keys, groups and sessions in memory, refreshed in the background; every lookup on the hot path is answered here. */

import { addressList } from '#runtime/address-list'
import type { Budget } from '#shared/console/limits'
import { ModelSet } from '#shared/model-pattern'
import { type GroupRecord, loadGroup, loadGroups } from '#store/accounts/groups'
import { type KeyRecord, loadKey, loadKeys } from '#store/accounts/keys'
import { loadManagementKey, loadManagementKeys, type ManagementKeyRecord } from '#store/accounts/management-keys'
import { loadSession, loadSessions, type SessionRecord } from '#store/accounts/sessions'
import { loadTeam, loadTeamMember, loadTeamMembers, loadTeams } from '#store/accounts/teams'
import { loadUser, loadUsers, type UserRecord } from '#store/accounts/users'
import { type Mirror, mirror } from '#store/engine/mirror'
import type { Store } from '#store/engine/store'
import type { ApiKey, Group, Member, Team, User } from './caller.ts'

/** A user without the password hash. */
export interface KnownUser extends User {
  /** True when a password is set. */
  signsIn: boolean
}

/** A key with the SHA-256 digest of its secret. */
export interface KnownKey {
  key: ApiKey
  digest: string
  /** The digest before the last rotation. */
  previousDigest: string | null
  models: ReadonlySet<string> | null
  /** Whether a request from this address may use the key. */
  allows(address: string): boolean
}

/** A team as requests see it. */
export interface KnownTeam {
  team: Team
  /** The team in the form of a user: it pays, and has groups and limits. */
  payer: User
  models: ReadonlySet<string> | null
}

/** In-memory mirrors of the account tables, with secondary indexes. */
export interface Directory {
  users: Mirror<KnownUser>
  keys: Mirror<KnownKey>
  groups: Mirror<Group>
  teams: Mirror<KnownTeam>
  members: Mirror<Member>
  managementKeys: Mirror<ManagementKeyRecord>
  sessions: Mirror<SessionRecord>
  /** While parley.yaml is applied: the names of its groups. */
  declaredGroups: ReadonlySet<string> | undefined
  userNamed(name: string): KnownUser | undefined
  teamNamed(name: string): KnownTeam | undefined
  keyWithDigest(digest: string): KnownKey | undefined
  managementKeyWithDigest(digest: string): ManagementKeyRecord | undefined
  /** By the digest of its current token. */
  sessionWithToken(digest: string): SessionRecord | undefined
}

/** Loads everything once. Rejects when the database does not answer. */
export async function openDirectory(store: Store): Promise<Directory> {
  const userIds = new Map<string, string>()
  const teamIds = new Map<string, string>()
  const keyIds = new Map<string, string>()
  const managementKeyIds = new Map<string, string>()
  const sessionIds = new Map<string, string>()

  const users = await mirror<KnownUser>(store, {
    table: 'users',
    id: (user) => user.id,
    loadAll: async () => (await loadUsers(store)).map(knownUser),
    load: async (id) => turn(await loadUser(store, id), knownUser),
    onChange: (id, row, before) => move(userIds, id, before?.name, row?.name),
  })
  const keys = await mirror<KnownKey>(store, {
    table: 'api_keys',
    id: ({ key }) => key.id,
    loadAll: async () => (await loadKeys(store)).map(knownKey),
    load: async (id) => turn(await loadKey(store, id), knownKey),
    onChange: (id, row, before) => {
      move(keyIds, id, before?.digest, row?.digest)
      // After a rotation the digest removed above is the previous one.
      move(keyIds, id, before?.previousDigest ?? undefined, row?.previousDigest ?? undefined)
    },
  })
  const groups = await mirror<Group>(store, {
    table: 'groups',
    id: (group) => group.name,
    loadAll: async () => (await loadGroups(store)).map(knownGroup),
    load: async (name) => turn(await loadGroup(store, name), knownGroup),
  })
  const teams = await mirror<KnownTeam>(store, {
    table: 'teams',
    id: ({ team }) => team.id,
    loadAll: async () => (await loadTeams(store)).map(knownTeam),
    load: async (id) => turn(await loadTeam(store, id), knownTeam),
    onChange: (id, row, before) => move(teamIds, id, before?.team.name, row?.team.name),
  })
  const members = await mirror<Member>(store, {
    table: 'team_members',
    id: ({ id }) => id,
    loadAll: () => loadTeamMembers(store),
    load: (id) => loadTeamMember(store, id),
  })
  const managementKeys = await mirror<ManagementKeyRecord>(store, {
    table: 'management_keys',
    id: (key) => key.id,
    loadAll: () => loadManagementKeys(store),
    load: (id) => loadManagementKey(store, id),
    onChange: (id, row, before) => move(managementKeyIds, id, before?.digest, row?.digest),
  })
  const sessions = await mirror<SessionRecord>(store, {
    table: 'sessions',
    id: (session) => session.digest,
    loadAll: () => loadSessions(store),
    load: (digest) => loadSession(store, digest),
    onChange: (id, row, before) => move(sessionIds, id, before && tokenOf(before), row && tokenOf(row)),
  })

  return {
    users,
    keys,
    groups,
    teams,
    members,
    managementKeys,
    sessions,
    declaredGroups: undefined,
    userNamed: (name) => users.get(userIds.get(name) ?? ''),
    teamNamed: (name) => teams.get(teamIds.get(name) ?? ''),
    keyWithDigest: (digest) => keys.get(keyIds.get(digest) ?? ''),
    managementKeyWithDigest: (digest) => managementKeys.get(managementKeyIds.get(digest) ?? ''),
    sessionWithToken: (digest) => sessions.get(sessionIds.get(digest) ?? ''),
  }
}

/** Whether there is a group of this name, on or off; while parley.yaml is applied, one removed from it does not count. */
export function groupExists({ groups, declaredGroups }: Directory, name: string): boolean {
  const group = groups.get(name)
  return group !== undefined && (group.managed === 'console' || (declaredGroups?.has(name) ?? true))
}

/** The group of this name if the user may use it now. */
export function usableGroup(directory: Directory, user: User, name: string): Group | undefined {
  const group = directory.groups.get(name)
  return group?.enabled && user.groups.includes(name) ? group : undefined
}

/** Every group the user may use now, by name. */
export function usableGroups(directory: Directory, user: User): Group[] {
  return user.groups.flatMap((name) => usableGroup(directory, user, name) ?? []).sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** A team or member that may have a budget. */
export interface BudgetedInTeam {
  of: 'team' | 'member'
  id: string
  name: string
  budget: Budget | null
}

/** Enabled teams, or those of them with these ids, and their members, for budget checks. */
export function budgetedInTeams({ teams, members, users }: Directory, ids?: ReadonlySet<string>): BudgetedInTeam[] {
  const open = [...teams.all()].map(({ team }) => team).filter(({ id, enabled }) => enabled && (ids === undefined || ids.has(id)))
  const names = new Map(open.map(({ id, name }) => [id, name]))
  const places = [...members.all()].filter(({ teamId }) => names.has(teamId))
  return [
    ...open.map(({ id, name, budget }) => ({ of: 'team' as const, id, name, budget })),
    ...places.map(({ id, teamId, userId, budget }) => ({
      ...{ of: 'member' as const, id, budget },
      name: `${users.get(userId)?.name ?? userId} (${names.get(teamId)})`,
    })),
  ]
}

/** Moves a secondary index to the row's new value; another row may have taken the old one meanwhile. */
function move(index: Map<string, string>, id: string, from: string | undefined, to: string | undefined): void {
  if (from !== undefined && index.get(from) === id) index.delete(from)
  if (to !== undefined) index.set(to, id)
}

const tokenOf = ({ digest, tokenDigest }: SessionRecord) => tokenDigest ?? digest

const turn = <A, B>(row: A | undefined, into: (row: A) => B): B | undefined => (row === undefined ? undefined : into(row))

function knownUser({ passwordHash, ...user }: UserRecord): KnownUser {
  return { ...user, signsIn: passwordHash !== null }
}

function knownKey({ digest, previousDigest, logBodies, userId, makerId, ...record }: KeyRecord): KnownKey {
  // Rows of earlier versions have only all or nothing.
  const key = { ...record, userId: userId ?? makerId ?? '', keepBodies: record.keepBodies ?? logBodies }
  const { models, addresses } = key
  return {
    key,
    digest,
    previousDigest,
    models: models === null ? null : new ModelSet(models),
    allows: addresses === null ? () => true : addressList(addresses),
  }
}

function knownTeam(team: Team): KnownTeam {
  const { id, name, group, groups, enabled, managed, createdAt, budget, limits, plan, models } = team
  const payer: User = { id, name, role: 'user', group, groups, enabled, managed, createdAt, budget, limits, plan }
  return { team, payer, models: models === null ? null : new ModelSet(models) }
}

function knownGroup({ createdAt: _, ...group }: GroupRecord): Group {
  return group
}
