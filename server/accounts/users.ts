/** User management for administrators: permissions, passwords, money. */

import { demandStrongPassword } from '#accounts/guard/password-rules'
import type { Clock, Random } from '#runtime/clock'
import { hashPassword } from '#runtime/secrets'
import type { Actor } from '#shared/console/audit'
import type { Page } from '#shared/console/model'
import type { AccountRow, Credit, EntryRow, NewUser, UserPatch, UserRow } from '#shared/console/user'
import { GatewayError } from '#shared/errors'
import { formatUsd } from '#shared/money'
import { audited, auditedAll, type Deed, type Note, note } from '#store/accounts/audit'
import { loadKeysOf } from '#store/accounts/keys'
import {
  createUser,
  deleteUser,
  type Grant,
  loadUser,
  loadUsers,
  postCredit,
  type UserRecord,
  type UserWrite,
  updateUser,
} from '#store/accounts/users'
import type { Store } from '#store/engine/store'
import { readWallets, type Wallet } from '#store/ledger/ledger'
import type { User, Verb } from './caller.ts'
import { type Directory, groupExists, type KnownUser } from './directory.ts'
import { defaultGroup } from './groups.ts'
import { newRecord, writeKeys } from './keys.ts'
import type { LastUsed } from './last-used.ts'
import { demandConsole, invalid, lastAdmin, notFound, ownPassword, readBounds, readUsd, uniquely } from './refusals.ts'
import { type EntriesAsked, entriesOf, readCredit, refusedCredit } from './wallets.ts'

/** More ids than this are not listed one by one. */
const manyUsers = 1_000

/** Reads and changes users. */
export interface Users {
  get(id: string): User | undefined
  all(): IterableIterator<KnownUser>
  /** Throws `not_found`. */
  find(id: string): KnownUser
  /** The user with the current balance. */
  row(user: User): Promise<UserRow>
  /** The rows for administrators, in the same order, with one query for the balances. */
  rows(users: readonly KnownUser[]): Promise<AccountRow[]>
  /** The wallet of every user. */
  wallets(): Promise<Map<string, Wallet>>
  /** When keys and sessions of users were last used, in milliseconds since the epoch. */
  lastSeen(): Map<string, number>
  /** Throws `name_taken`, `invalid_value`. */
  create(by: Actor, fields: NewUser): Promise<KnownUser>
  /** Throws `not_found`, `managed_by_file`, `name_taken`, `invalid_value`, and `still_in_use` for the last administrator. */
  change(by: Actor, id: string, fields: UserPatch): Promise<KnownUser>
  /** The user's keys are removed too; the wallet and its entries stay. Throws as `change` does. */
  remove(by: Actor, id: string): Promise<void>
  /** Posts money once per idempotency key. Throws `not_found`, `invalid_value`, `idempotency_conflict`. */
  credit(by: Actor, id: string, key: string, credit: Credit): Promise<KnownUser>
  /** The entries of a user's wallet, newest first. Throws `not_found`, and `invalid_value` when `after` is not a cursor of this list. */
  entries(id: string, asked: EntriesAsked): Promise<Page<EntryRow>>
}

/** What `createUsers` needs. */
export interface UsersParts {
  store: Store
  directory: Directory
  clock: Clock
  random: Random
  keyUses: Pick<LastUsed, 'last'>
  endSessionsOf(userId: string): Promise<void>
  /** Whether the user has a second factor. */
  hasFactor(userId: string): boolean
}

/** Users over the store and the directory. */
export function createUsers({ store, directory, clock, random, keyUses, endSessionsOf, hasFactor }: UsersParts): Users {
  function known(id: string): KnownUser {
    const user = directory.users.get(id)
    if (user === undefined) throw notFound()
    return user
  }

  function writable(id: string): KnownUser {
    const user = known(id)
    demandConsole(user)
    return user
  }

  /** The valid ones: not expired, and created in the current role. */
  const managementKeysOf = ({ id, role }: User) =>
    [...directory.managementKeys.all()].filter(
      (key) => key.userId === id && key.role === role && (key.expiresAt === null || key.expiresAt.getTime() > clock.now()),
    ).length

  /** When keys and sessions of these users, or of all, were last used, in milliseconds. */
  function lastSeen(ids?: ReadonlySet<string>): Map<string, number> {
    const seen = new Map<string, number>()
    const note = (id: string, at: Date | null) => {
      if (at !== null && ids?.has(id) !== false) seen.set(id, Math.max(seen.get(id) ?? 0, at.getTime()))
    }
    for (const { key } of directory.keys.all()) {
      note(key.userId, key.lastUsedAt)
      // The directory gets it from the database later.
      const used = keyUses.last(key.id)
      if (used !== undefined) note(key.userId, new Date(used))
    }
    for (const session of directory.sessions.all()) note(session.userId, session.usedAt)
    return seen
  }

  async function rows(users: readonly KnownUser[]): Promise<AccountRow[]> {
    const ids = users.map(({ id }) => id)
    const wallets = await readWallets(store.db, ids.length > manyUsers ? 'users' : ids)
    const seen = lastSeen(new Set(ids))
    return users.map((user) => ({
      ...userRow(user, wallets.get(user.id)),
      ...accountFacts(user, seen.get(user.id)),
      ...{ secondFactor: hasFactor(user.id), managementKeys: managementKeysOf(user) },
    }))
  }

  return {
    get: (id) => directory.users.get(id),
    all: () => directory.users.all(),
    find: known,
    row: async (user) => userRow(user, (await readWallets(store.db, [user.id])).get(user.id)),
    rows,
    wallets: () => readWallets(store.db, 'users'),
    lastSeen: () => lastSeen(),
    async create(by, { balance, ...fields }) {
      const { id, at } = newRecord(clock, random)
      const user = { ...newUser(fields.name, id, at), ...(await userColumns(directory, fields)) }
      const amount = balance === undefined ? 0n : readUsd(balance, 'balance')
      const opening = { amount, actor: by.id, reason: 'opening balance', at }
      await uniquely(
        writeUser(store, by, 'create', id, async (store) => {
          await createUser(store, { user, ...(amount > 0n && { opening }) })
          if (amount > 0n) await noteMoney(store, by, 'grant', user, opening)
        }),
      )
      return known(id)
    },
    async change(by, id, fields) {
      const before = writable(id)
      if (by.id === id && fields.password !== undefined) throw ownPassword()
      const columns = await userColumns(directory, fields, before)
      demandDone(await uniquely(writeUser(store, by, 'change', id, (store) => updateUser(store, id, columns))))
      if (fields.password !== undefined || fields.enabled === false) await endSessionsOf(id)
      return known(id)
    },
    async remove(by, id) {
      writable(id)
      demandDone(await removeUser(store, by, id))
    },
    async credit(by, id, key, credit) {
      const user = known(id)
      const grant = readCredit(by, credit, clock)
      const beside = (store: Store) => noteMoney(store, by, 'credit', user, grant)
      const result = await postCredit(store, user.id, key, grant, beside).catch((thrown: unknown) => {
        throw refusedCredit(thrown)
      })
      if (result === 'conflict')
        throw new GatewayError('idempotency_conflict', 'This Idempotency-Key was already used for a different credit.')
      return user
    },
    entries: async (id, asked) => entriesOf(store, directory, known(id).id, asked),
  }
}

/** Runs a write to one user and records it in the audit trail. */
export function writeUser<T>(store: Store, by: Actor, verb: Verb, id: string, write: (store: Store) => Promise<T>): Promise<T> {
  return writeUsers(store, by, [{ action: `user.${verb}`, target: id }], write)
}

/** Runs a write to several users and records each in the audit trail. */
export function writeUsers<T>(store: Store, by: Actor, deeds: readonly Deed[], write: (store: Store) => Promise<T>): Promise<T> {
  const look = async (store: Store, ids: readonly string[]) => new Map((await loadUsers(store, ids)).map((row) => [row.id, row]))
  return auditedAll(store, by, deeds, look, write)
}

/** Records a grant or credit in the audit trail, in addition to its wallet entry. */
export function noteMoney(store: Store, by: Actor, how: 'grant' | 'credit', user: Pick<User, 'id' | 'name'>, given: Grant): Promise<void> {
  return note(store, by, moneyNote(how, user, given))
}

/** The audit entry for money that was added or deducted. */
export function moneyNote(how: 'grant' | 'credit', { id, name }: Pick<User, 'id' | 'name'>, { amount, reason }: Grant): Note {
  return { action: `user.${how}`, target: id, name, after: { amount: formatUsd(amount), reason } }
}

/** Removes the user and their keys, each with its own audit entry; the user's entry states the remaining balance. */
function removeUser(store: Store, by: Actor, id: string): Promise<UserWrite> {
  const look = async (store: Store): Promise<object | undefined> => {
    const user = await loadUser(store, id)
    const wallet = (await readWallets(store.db, [id])).get(id)
    return user && { ...user, balance: formatUsd(wallet?.balance ?? 0n) }
  }
  return audited(store, by, { action: 'user.remove', target: id }, look, async (store) => {
    const deeds = (await loadKeysOf(store, id)).map((key) => ({ action: 'key.remove', target: key.id }))
    return writeKeys(store, by, deeds, (store) => deleteUser(store, id))
  })
}

function demandDone(result: UserWrite): void {
  if (result === 'last') throw lastAdmin()
  if (result === 'gone') throw notFound()
}

/** The row of a new user without permissions or a password. */
export function newUser(name: string, id: string, createdAt: Date): UserRecord {
  return {
    id,
    name,
    role: 'user',
    passwordHash: null,
    group: defaultGroup,
    groups: [defaultGroup],
    budget: null,
    limits: null,
    plan: null,
    enabled: true,
    managed: 'console',
    createdAt,
  }
}

/** The columns set by the given fields. `before` is the row they change. Throws `invalid_value` for an unknown group. */
async function userColumns(directory: Directory, fields: UserPatch, before?: User): Promise<Partial<UserRecord>> {
  const { name, role, enabled, password } = fields
  if (password !== undefined) await demandStrongPassword(password, name ?? before?.name ?? '')
  if (fields.group !== undefined) demandGroup(directory, fields.group, 'group')
  for (const group of fields.groups ?? []) demandGroup(directory, group, 'groups')
  return {
    ...(name !== undefined && { name }),
    ...(role !== undefined && { role }),
    ...(enabled !== undefined && { enabled }),
    ...(password !== undefined && { passwordHash: await hashPassword(password) }),
    ...((fields.group !== undefined || fields.groups !== undefined) && membership(fields, before)),
    ...readBounds(fields),
  }
}

/** `groups` always contains `group`. A new `group` given alone replaces the old one. */
export function membership(
  fields: { group?: string; groups?: string[] },
  before?: Pick<User, 'group' | 'groups'>,
): { group: string; groups: string[] } {
  const group = fields.group ?? before?.group ?? defaultGroup
  const kept = (before?.groups ?? []).filter((name) => name !== before?.group || name === group)
  return { group, groups: [...new Set([group, ...(fields.groups ?? kept)])] }
}

/** Throws `invalid_value` at `param` unless the group exists. */
export function demandGroup(directory: Directory, name: string, param: string): void {
  if (!groupExists(directory, name)) throw invalid(param, 'a group that exists')
}

function userRow({ id, name, role, group, groups }: User, wallet: Pick<Wallet, 'balance' | 'held'> = { balance: 0n, held: 0n }): UserRow {
  return { id, name, role, group, groups: [...groups], balance: formatUsd(wallet.balance), held: formatUsd(wallet.held) }
}

function accountFacts({ createdAt, enabled, signsIn, managed, budget, limits }: KnownUser, seen: number | undefined) {
  return {
    createdAt: createdAt.toISOString(),
    lastSeenAt: seen === undefined ? null : new Date(seen).toISOString(),
    ...{ enabled, signsIn, managed, budget, limits },
  }
}
