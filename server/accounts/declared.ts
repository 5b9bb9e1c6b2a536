/**
 * Applies the groups, users and keys of parley.yaml. Rows are matched by name; a row that is no longer in the file is disabled; a row
 * created in the console is never touched. Nothing is written when nothing changed. Errors carry `INDEX.field` as `param`.
 */

import { demandStrongPassword } from '#accounts/guard/password-rules'
import type { Clock, Random } from '#runtime/clock'
import { sha256Hex } from '#runtime/secrets'
import { theFile } from '#shared/console/audit'
import type { GroupFields } from '#shared/console/group'
import type { DeclaredKey } from '#shared/console/key'
import type { NewUser } from '#shared/console/user'
import { GatewayError } from '#shared/errors'
import { isTeamId } from '#shared/ids'
import { sameValue } from '#shared/same-value'
import { noteAll, onRecord } from '#store/accounts/audit'
import { type GroupRecord, insertGroup, updateGroup } from '#store/accounts/groups'
import { freeDigests, insertKeys, type KeyRecord, updateKey } from '#store/accounts/keys'
import { createUsers, type Grant, loadUsers, postOpenings, type UserRecord, updateUser } from '#store/accounts/users'
import type { Store } from '#store/engine/store'
import type { Group, User } from './caller.ts'
import { changes, eachRow, insertsAndUpdates, type Step } from './declared-changes.ts'
import { type ComparedPasswords, comparePasswords, type GivenPassword } from './declared-passwords.ts'
import type { Directory, KnownKey, KnownUser } from './directory.ts'
import { defaultGroup, newGroup, writeGroups } from './groups.ts'
import { keyColumns, keyHint, newKey, newRecord, paidBy, writeKeys } from './keys.ts'
import { invalid, readBounds, readUsd, secretTaken, uniquely } from './refusals.ts'
import { demandGroup, membership, moneyNote, newUser, writeUsers } from './users.ts'

/** A group of the file. */
export interface DeclaredGroup {
  name: string
  fields: GroupFields
}

/** Call these in this order, each with all rows of the file. Throw `name_taken`, `invalid_value`. */
export interface Declared {
  declareGroups(rows: readonly DeclaredGroup[]): Promise<void>
  declareUsers(rows: readonly NewUser[]): Promise<void>
  declareKeys(rows: readonly DeclaredKey[]): Promise<void>
}

/** What `createDeclared` needs. */
export interface DeclaredParts {
  store: Store
  directory: Directory
  clock: Clock
  random: Random
  endSessionsOf(userId: string): Promise<void>
}

/** Applies declared rows to the store; ends the sessions of users it disables or gives a new password. */
export function createDeclared({ store, directory, clock, random, endSessionsOf }: DeclaredParts): Declared {
  const now = () => new Date(clock.now())

  function groupStep({ name, fields }: DeclaredGroup): Step<GroupRecord> | undefined {
    const known = directory.groups.get(name)
    // `default` always exists, so the file may configure it although the file did not create it.
    if (known?.managed === 'console' && name !== defaultGroup) throw madeInConsole('group', 'name')
    const { createdAt, ...wanted } = newGroup(name, fields, 'file', now())
    if (known === undefined) return { fresh: { ...wanted, createdAt } }
    return sameValue(wanted, known) ? undefined : { id: name, columns: wanted }
  }

  function leftGroup({ name, enabled }: Group): Step<GroupRecord>[] {
    const { createdAt: _, ...asNew } = newGroup(name, {}, 'console', now())
    if (name === defaultGroup) return [{ id: name, columns: asNew }]
    return enabled ? [{ id: name, columns: { enabled: false } }] : []
  }

  function checkedUser(row: NewUser): CheckedUser {
    const known = directory.userNamed(row.name)
    if (known?.managed === 'console') throw madeInConsole('user', 'name')
    const { groups, group } = membership(row)
    for (const name of groups) demandGroup(directory, name, name === group ? 'group' : 'groups')
    const amount = row.balance === undefined ? 0n : readUsd(row.balance, 'balance')
    const { id, at } = newRecord(clock, random)
    return { row, known, fresh: { ...newUser(row.name, known?.id ?? id, at), ...userColumns(row) }, amount }
  }

  async function givenPasswords(users: readonly CheckedUser[]): Promise<ComparedPasswords> {
    const known = users.flatMap(({ row, known }) => (known && row.password !== undefined ? known.id : []))
    const stored = new Map((await loadUsers(store, known)).map(({ id, passwordHash }) => [id, passwordHash]))
    const given = users.flatMap(({ row: { password }, fresh: { id } }): GivenPassword[] =>
      password === undefined ? [] : [{ userId: id, password, hash: stored.get(id) ?? null }],
    )
    return comparePasswords(store, given)
  }

  function userStep({ row, known, fresh }: CheckedUser, newHash: string | undefined): Step<UserRecord> | undefined {
    if (known === undefined) return { fresh: { ...fresh, passwordHash: newHash ?? null } }
    const passwordHash = row.password === undefined && known.signsIn ? null : newHash
    const columns = { ...changes(userColumns(row), known), ...(passwordHash !== undefined && { passwordHash }) }
    return Object.keys(columns).length > 0 ? { id: known.id, columns } : undefined
  }

  async function writeUserSteps(steps: readonly Step<UserRecord>[]): Promise<void> {
    const { fresh, changed, deeds } = insertsAndUpdates('user', steps, ({ id }) => id)
    const write = writeUsers(store, theFile, deeds, async (store) => {
      const made = fresh.map((user) => ({ user }))
      await createUsers(store, made)
      for (const { id, columns } of changed) await updateUser(store, id, columns, true)
    })
    await uniquely(write)
    for (const { id, columns } of changed) if (columns.passwordHash !== undefined || columns.enabled === false) await endSessionsOf(id)
  }

  const giveOpenings = (users: readonly CheckedUser[]) =>
    onRecord(store, async (store) => {
      const at = now()
      const grantOf = ({ amount }: CheckedUser): Grant => ({ amount, actor: theFile.id, reason: 'opening balance', at })
      const openings = new Map(users.map((user) => [user.fresh.id, grantOf(user)]))
      const posted = new Set(await postOpenings(store, openings))
      const given = users.filter(({ fresh }) => posted.has(fresh.id))
      const notes = given.map((user) => moneyNote('grant', user.fresh, grantOf(user)))
      await noteAll(store, theFile, notes)
    })

  /** The key, and its payer. */
  function declaredKey(row: DeclaredKey): { owner: User; fresh: KeyRecord } {
    const user = directory.userNamed(row.user)
    if (user === undefined) throw invalid('user', 'a user that exists')
    const team = row.team === undefined ? undefined : directory.teamNamed(row.team)
    if (row.team !== undefined && team === undefined) throw invalid('team', 'a team that exists')
    const { key = '' } = row
    const digest = digestOf(row)
    const made = { ...newKey(user.id, row.name, key, newRecord(clock, random)), ...keyColumns(row), digest, hint: keyHint(key) }
    const fresh = { ...made, ...(team && paidBy(team.team.id, user.id)), managed: 'file' as const }
    return { owner: team?.payer ?? user, fresh }
  }

  function demandOwnGroup(user: User, group: string | undefined): void {
    if (group === undefined) return
    demandGroup(directory, group, 'group')
    if (!user.groups.includes(group)) throw invalid('group', `a group of this ${isTeamId(user.id) ? 'team' : 'user'}`)
  }

  /** The steps for the keys, computed row by row: a secret freed by one row may be taken by another, earlier or later one. */
  function keySteps(rows: readonly DeclaredKey[], stored: readonly KnownKey[]) {
    const wanted = new Set(rows.map(({ name }) => name))
    const byName = new Map(stored.map((known) => [known.key.name, known]))
    const given = new Map<string, string>()

    /**
     * The stored row for this row of the file: by name, or else a row with the same key whose name is no longer in the file, so that
     * keys can be renamed.
     */
    function meant(name: string, digest: string): KnownKey | undefined {
      const same = directory.keyWithDigest(digest)
      const renamed = same?.key.managed === 'file' && !wanted.has(same.key.name) ? same : undefined
      return byName.get(name) ?? renamed
    }

    const keeps = new Map(rows.map((row) => [meant(row.name, digestOf(row))?.key.id, digestOf(row)]))

    /** The key that has this secret once all rows match the file. */
    function holderOf(digest: string): string | undefined {
      const holder = given.get(digest) ?? directory.keyWithDigest(digest)?.key.id
      return holder !== undefined && (keeps.get(holder) ?? digest) === digest ? holder : undefined
    }

    return (row: DeclaredKey): Step<KeyRecord> | undefined => {
      const { owner, fresh } = declaredKey(row)
      demandOwnGroup(owner, row.group)
      const { id: _, createdAt: __, lastUsedAt: ___, lastUsedFrom: ____, ...columns } = fresh
      const known = meant(row.name, fresh.digest)
      const holder = holderOf(fresh.digest)
      if (holder !== undefined && holder !== known?.key.id) throw secretTaken()
      given.set(fresh.digest, known?.key.id ?? fresh.id)
      if (known === undefined) return { fresh }
      const changed = changes(columns, {
        ...known.key,
        ...(known.key.teamId !== null ? paidBy(known.key.teamId, known.key.userId) : { makerId: null }),
        logBodies: known.key.keepBodies === true,
        digest: known.digest,
        previousDigest: known.previousDigest,
      })
      return changed && { id: known.key.id, columns: changed }
    }
  }

  return {
    async declareGroups(rows) {
      const wanted = new Set(rows.map(({ name }) => name))
      directory.declaredGroups = wanted
      const left = [...directory.groups.all()].filter(({ name, managed }) => managed === 'file' && !wanted.has(name))
      const steps = [...eachRow(rows, groupStep), ...left.flatMap(leftGroup)]
      const { fresh, changed, deeds } = insertsAndUpdates('group', steps, ({ name }) => name)
      if (deeds.length === 0) return
      await writeGroups(store, theFile, deeds, async (store) => {
        for (const row of fresh) await insertGroup(store, row)
        for (const { id, columns } of changed) await updateGroup(store, id, columns)
      })
    },
    async declareUsers(rows) {
      const users = eachRow(rows, checkedUser)
      for (const [index, { name, password }] of rows.entries())
        if (password !== undefined) await demandStrongPassword(password, name, `${index}.password`)
      const passwords = await givenPasswords(users)
      const wanted = new Set(rows.map(({ name }) => name))
      const left = [...directory.users.all()].filter((user) => user.managed === 'file' && user.enabled && !wanted.has(user.name))
      const steps = users.flatMap((user) => userStep(user, passwords.fresh.get(user.fresh.id)) ?? [])
      steps.push(...left.map(({ id }) => ({ id, columns: { enabled: false } })))
      if (steps.length > 0) await writeUserSteps(steps)
      await passwords.keep()
      const opened = users.filter(({ amount }) => amount > 0n)
      if (opened.length > 0) await giveOpenings(opened)
    },
    async declareKeys(rows) {
      const wanted = new Set(rows.map(({ name }) => name))
      const stored = [...directory.keys.all()].filter(({ key }) => key.managed === 'file')
      const steps = eachRow(rows, keySteps(rows, stored))
      const renamed = new Set(steps.flatMap((step) => ('id' in step ? step.id : [])))
      const left = stored.filter(({ key }) => key.enabled && !wanted.has(key.name) && !renamed.has(key.id))
      steps.push(...left.map(({ key: { id } }) => ({ id, columns: { enabled: false } })))
      const { fresh, changed, deeds } = insertsAndUpdates('key', steps, ({ id }) => id)
      if (deeds.length === 0) return
      const write = writeKeys(store, theFile, deeds, async (store) => {
        // A key may get a secret that another still has.
        const moved = changed.filter(({ columns }) => columns.digest !== undefined).map(({ id }) => id)
        if (moved.length > 1) await freeDigests(store, moved)
        for (const { id, columns } of changed) await updateKey(store, id, columns)
        await insertKeys(store, fresh)
      })
      await uniquely(write, secretTaken)
    },
  }
}

interface CheckedUser {
  row: NewUser
  known: KnownUser | undefined
  /** The row to insert when the user does not exist; otherwise it has the existing user's id. */
  fresh: UserRecord
  /** Initial balance in nano-dollars. */
  amount: bigint
}

const madeInConsole = (what: string, param: string) =>
  new GatewayError('name_taken', `A ${what} of this name was already created in the console. Rename or delete one of the two.`, { param })

const digestOf = ({ key = '', digest = sha256Hex(key) }: DeclaredKey): string => digest

/** Every column that the file controls, with defaults for omitted fields. */
function userColumns(row: NewUser): Partial<UserRecord> {
  return { role: row.role ?? 'user', ...membership(row), budget: null, limits: null, ...readBounds(row), enabled: true, managed: 'file' }
}
