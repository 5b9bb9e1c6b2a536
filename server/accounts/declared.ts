/**
 * What parley.yaml says of groups, users and keys, made true. Names are identity; a row that left the file is disabled; a row
 * that the console made is never touched. Nothing is written where nothing changed. Faults name `INDEX.field` as `param`.
 */
import type { Clock, Dice } from '#runtime/clock'
import { hashPassword, sha256Hex, verifyPassword } from '#runtime/secrets'
import { theFile } from '#shared/console/audit'
import type { GroupFields } from '#shared/console/group'
import type { DeclaredKey } from '#shared/console/key'
import type { NewUser } from '#shared/console/user'
import { GatewayError } from '#shared/errors'
import { onRecord } from '#store/audit'
import { type GroupRecord, insertGroup, updateGroup } from '#store/groups'
import { insertKey, type KeyRecord, updateKey } from '#store/keys'
import { sameValue } from '#store/same-value'
import type { Store } from '#store/store'
import { createUser, type Grant, loadUser, postOpening, type UserRecord, updateUser } from '#store/users'
import type { User } from './caller.ts'
import type { Directory, KnownKey, KnownUser } from './directory.ts'
import { defaultGroup, newGroup, writeGroup } from './groups.ts'
import { birth, keyColumns, keyHint, newKey, writeKey } from './keys.ts'
import { invalid, readBounds, readUsd, uniquely } from './refusals.ts'
import { demandGroup, membership, newUser, noteMoney, writeUser } from './users.ts'

export interface DeclaredGroup {
  name: string
  fields: GroupFields
}

/** To be called in this order, each with everything the file declares. Throw `name_taken`, `invalid_value`. */
export interface Declared {
  declareGroups(rows: readonly DeclaredGroup[]): Promise<void>
  declareUsers(rows: readonly NewUser[]): Promise<void>
  declareKeys(rows: readonly DeclaredKey[]): Promise<void>
}

export interface DeclaredParts {
  store: Store
  directory: Directory
  clock: Clock
  dice: Dice
  endSessionsOf(userId: string): Promise<void>
}

export function createDeclared({ store, directory, clock, dice, endSessionsOf }: DeclaredParts): Declared {
  const now = () => new Date(clock.now())

  const changeGroup = (name: string, columns: Partial<GroupRecord>) =>
    writeGroup(store, theFile, 'change', name, (store) => updateGroup(store, name, columns))
  const changeUser = (id: string, columns: Partial<UserRecord>) =>
    writeUser(store, theFile, 'change', id, (store) => updateUser(store, id, columns, true))
  const changeKey = (id: string, columns: Partial<KeyRecord>) =>
    writeKey(store, theFile, 'change', id, (store) => updateKey(store, id, columns))

  const giveOpening = (user: Pick<User, 'id' | 'name'>, opening: Grant) =>
    onRecord(store, async (store) => {
      if (await postOpening(store, user.id, opening)) await noteMoney(store, theFile, 'grant', user, opening)
    })

  async function declareGroup({ name, fields }: DeclaredGroup): Promise<void> {
    const known = directory.groups.get(name)
    // `default` is nobody's: it is there before anyone asks, and the file may speak for it.
    if (known?.managed === 'console' && name !== defaultGroup) throw madeInConsole('group', 'name')
    const { createdAt, ...wanted } = newGroup(name, fields, 'file', now())
    if (known === undefined) await writeGroup(store, theFile, 'create', name, (store) => insertGroup(store, { ...wanted, createdAt }))
    else if (!sameValue(wanted, known)) await changeGroup(name, wanted)
  }

  async function declareUser(row: NewUser): Promise<void> {
    const known = directory.userNamed(row.name)
    if (known?.managed === 'console') throw madeInConsole('user', 'name')
    const { groups, group } = membership(row)
    for (const name of groups) demandGroup(directory, name, name === group ? 'group' : 'groups')
    const amount = row.balance === undefined ? 0n : readUsd(row.balance, 'balance')
    const id = known?.id ?? (await addUser(row))
    if (known) await updateDeclared(known, row)
    if (amount > 0n) await giveOpening({ id, name: row.name }, { amount, actor: theFile.id, reason: 'opening balance', at: now() })
  }

  async function addUser(row: NewUser): Promise<string> {
    const { id, at } = birth(clock, dice)
    const passwordHash = row.password === undefined ? null : await hashPassword(row.password)
    const user = { ...newUser(row.name, id, at), ...userColumns(row), passwordHash }
    await uniquely(writeUser(store, theFile, 'create', id, (store) => createUser(store, { user })))
    return id
  }

  async function updateDeclared(known: KnownUser, row: NewUser): Promise<void> {
    const passwordHash = await newHash(known, row.password)
    const columns = changes(userColumns(row), known)
    if (passwordHash === undefined && columns === undefined) return
    await changeUser(known.id, { ...columns, ...(passwordHash !== undefined && { passwordHash }) })
    if (passwordHash !== undefined) await endSessionsOf(known.id)
  }

  /** Undefined when the password in the file is the one that is set. */
  async function newHash(known: KnownUser, password: string | undefined): Promise<string | null | undefined> {
    if (password === undefined) return known.signsIn ? null : undefined
    const hash = (await loadUser(store, known.id))?.passwordHash ?? null
    return hash !== null && (await verifyPassword(password, hash)) ? undefined : hashPassword(password)
  }

  async function declareKey(row: DeclaredKey, wanted: ReadonlySet<string>): Promise<void> {
    const user = directory.userNamed(row.user)
    if (user === undefined) throw invalid('user', 'a user that exists')
    demandOwnGroup(user, row.group)
    const { id: _, createdAt: __, lastUsedAt: ___, ...columns } = declaredKey(row, user)
    const known = storedKey(row, wanted)
    if (known === undefined) {
      const fresh = declaredKey(row, user)
      await uniquely(
        writeKey(store, theFile, 'create', fresh.id, (store) => insertKey(store, fresh)),
        'key',
      )
    } else {
      const changed = changes(columns, { ...known.key, digest: known.digest })
      if (changed) await uniquely(changeKey(known.key.id, changed), 'key')
    }
  }

  function demandOwnGroup(user: User, group: string | undefined): void {
    if (group === undefined) return
    demandGroup(directory, group, 'group')
    if (!user.groups.includes(group)) throw invalid('group', 'a group of this user')
  }

  /** The row that the file means: by name, else a row under a name that left the file with the same key, so that keys can be renamed. */
  function storedKey(row: DeclaredKey, wanted: ReadonlySet<string>): KnownKey | undefined {
    const named = declaredKeys().find(({ key }) => key.name === row.name)
    if (named) return named
    const same = directory.keyWithDigest(sha256Hex(row.key))
    return same?.key.managed === 'file' && !wanted.has(same.key.name) ? same : undefined
  }

  function declaredKey(row: DeclaredKey, user: User): KeyRecord {
    return { ...newKey(user.id, row.name, row.key, birth(clock, dice)), ...keyColumns(row), managed: 'file', hint: keyHint(row.key) }
  }

  const declaredKeys = () => [...directory.keys.all()].filter(({ key }) => key.managed === 'file')

  return {
    async declareGroups(rows) {
      await eachRow(rows, declareGroup)
      const wanted = new Set(rows.map(({ name }) => name))
      const left = [...directory.groups.all()].filter(({ name, managed }) => managed === 'file' && !wanted.has(name))
      for (const { name, enabled } of left) {
        const { createdAt: _, ...asNew } = newGroup(name, {}, 'console', now())
        if (name === defaultGroup) await changeGroup(name, asNew)
        else if (enabled) await changeGroup(name, { enabled: false })
      }
    },
    async declareUsers(rows) {
      await eachRow(rows, declareUser)
      const wanted = new Set(rows.map(({ name }) => name))
      const left = [...directory.users.all()].filter((user) => user.managed === 'file' && user.enabled && !wanted.has(user.name))
      for (const { id } of left) {
        await changeUser(id, { enabled: false })
        await endSessionsOf(id)
      }
    },
    async declareKeys(rows) {
      const wanted = new Set(rows.map(({ name }) => name))
      await eachRow(rows, (row) => declareKey(row, wanted))
      const left = declaredKeys().filter(({ key }) => key.enabled && !wanted.has(key.name))
      for (const { key } of left) await changeKey(key.id, { enabled: false })
    },
  }
}

/** One after the other; a fault in a row names its place. */
async function eachRow<Row>(rows: readonly Row[], work: (row: Row) => Promise<void>): Promise<void> {
  for (const [index, row] of rows.entries()) {
    try {
      await work(row)
    } catch (thrown) {
      if (!(thrown instanceof GatewayError) || thrown.param === undefined) throw thrown
      throw new GatewayError(thrown.code, thrown.message, { param: `${index}.${thrown.param}`, cause: thrown })
    }
  }
}

const madeInConsole = (what: string, param: string) =>
  new GatewayError('name_taken', `A ${what} of this name was made in the console; rename or delete one of the two.`, { param })

/** Every column that the file decides, with defaults where it says nothing. */
function userColumns(row: NewUser): Partial<UserRecord> {
  return { role: row.role ?? 'user', ...membership(row), budget: null, limits: null, ...readBounds(row), enabled: true, managed: 'file' }
}

/** The wanted columns that differ from what is stored; undefined when none does. */
function changes<T extends object>(wanted: T, stored: { [K in keyof T]?: unknown }): Partial<T> | undefined {
  const differing = Object.entries(wanted).filter(([name, value]) => !sameValue(plain(value), plain(stored[name as keyof T])))
  return differing.length === 0 ? undefined : (Object.fromEntries(differing) as Partial<T>)
}

/** Times as text: two of them are compared by what they say. */
const plain = (value: unknown): unknown => (value instanceof Date ? value.toISOString() : value)
