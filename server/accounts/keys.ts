/** API keys. Their owner sees and changes them, and so may every administrator. */

import { addressList } from '#runtime/address-list'
import type { Clock, Random } from '#runtime/clock'
import { sha256Hex } from '#runtime/secrets'
import type { Actor } from '#shared/console/audit'
import type { KeepBodies } from '#shared/console/body'
import type { KeyPatch, KeyRow, NewKey } from '#shared/console/key'
import type { Quotas } from '#shared/console/quota'
import { GatewayError } from '#shared/errors'
import { auditedAll, type Deed } from '#store/accounts/audit'
import { countKeysOf, deleteKey, insertKeys, type KeyRecord, loadKeys, updateKey } from '#store/accounts/keys'
import type { Store } from '#store/engine/store'
import type { ApiKey, User, Verb } from './caller.ts'
import { type Directory, usableGroup } from './directory.ts'
import type { LastUsed } from './last-used.ts'
import { demandConsole, groupNotAllowed, invalid, notFound, quotaExceeded, readBounds } from './refusals.ts'

/** Reads and changes API keys. */
export interface Keys {
  ownedBy(user: User): ApiKey[]
  /** How many keys the user has that count for the quota. */
  countOf(user: User): number
  /** Every key of everybody. */
  all(): ApiKey[]
  /** Throws `not_found` for another's key, unless an administrator asks. */
  find(by: User, id: string): ApiKey
  row(key: ApiKey): KeyRow
  /**
   * The row and the secret, which cannot be retrieved again. Throws `group_not_allowed`, `invalid_value`, `quota_exceeded`;
   * `not_permitted` when `fields.user` names somebody else and no administrator asks.
   */
  create(by: User, fields: NewKey): Promise<{ key: ApiKey; secret: string }>
  /** Throws as `find` does, `managed_by_file`, `group_not_allowed`, `invalid_value`, `quota_exceeded`. */
  change(by: User, id: string, fields: KeyPatch): Promise<ApiKey>
  /** A new secret; the old one is good for `overlapMs` more. Throws as `find` does, `managed_by_file`. */
  rotate(by: User, id: string, overlapMs: number): Promise<{ key: ApiKey; secret: string }>
  /** Throws as `find` does, `managed_by_file`. */
  remove(by: User, id: string): Promise<void>
}

/** What `createKeys` needs. */
export interface KeysParts {
  store: Store
  directory: Directory
  clock: Clock
  random: Random
  keyUses: LastUsed
  quotas(): Pick<Quotas, 'keys' | 'modelsPerKey'>
}

/** Keys over the store and the directory. */
export function createKeys({ store, directory, clock, random, keyUses, quotas }: KeysParts): Keys {
  function find(by: User, id: string): ApiKey {
    const key = directory.keys.get(id)?.key
    if (key === undefined || (key.userId !== by.id && by.role !== 'admin')) throw notFound()
    return key
  }

  function writable(by: User, id: string): ApiKey {
    const key = find(by, id)
    demandConsole(key)
    return key
  }

  function ownerOf(key: ApiKey): User {
    const owner = directory.users.get(key.userId)
    if (owner === undefined) throw notFound()
    return owner
  }

  function newOwner(by: User, named: string | undefined): User {
    if (named === undefined || named === by.id || named === by.name) return by
    if (by.role !== 'admin') throw new GatewayError('not_permitted', 'Only administrators make keys for others.', { param: 'user' })
    const owner = directory.users.get(named) ?? directory.userNamed(named)
    if (owner === undefined) throw invalid('user', 'the id or the name of a user')
    return owner
  }

  function checked(owner: User, fields: KeyPatch): Partial<KeyRecord> {
    if (typeof fields.group === 'string' && usableGroup(directory, owner, fields.group) === undefined) throw groupNotAllowed()
    const { modelsPerKey } = quotas()
    if ((fields.models?.length ?? 0) > modelsPerKey) throw quotaExceeded('models of a key', modelsPerKey, 'models')
    return keyColumns(fields)
  }

  const ownedBy = (user: User) => [...directory.keys.all()].flatMap(({ key }) => (key.userId === user.id ? key : []))

  return {
    ownedBy,
    countOf: (user) => ownedBy(user).filter(({ managed }) => managed === 'console').length,
    all: () => [...directory.keys.all()].map(({ key }) => key),
    find,
    row: (key) => ({
      id: key.id,
      name: key.name,
      user: { id: key.userId, name: directory.users.get(key.userId)?.name ?? '' },
      note: key.note,
      createdAt: key.createdAt.toISOString(),
      group: key.group,
      models: key.models === null ? null : [...key.models],
      expiresAt: key.expiresAt?.toISOString() ?? null,
      enabled: key.enabled,
      strict: key.strict,
      logBodies: key.keepBodies,
      addresses: key.addresses === null ? null : [...key.addresses],
      budget: key.budget,
      limits: key.limits,
      hint: key.hint,
      managed: key.managed,
      lastUsedAt: lastUse(key, keyUses.last(key.id)),
      lastUsedFrom: keyUses.lastFrom(key.id) ?? key.lastUsedFrom,
      previousUntil: (key.previousUntil?.getTime() ?? 0) > clock.now() ? (key.previousUntil?.toISOString() ?? null) : null,
    }),
    async create(by, { user, ...fields }) {
      const owner = newOwner(by, user)
      const secret = newSecret(random)
      const row = { ...newKey(owner.id, fields.name, secret, newRecord(clock, random)), ...checked(owner, fields) }
      await writeKey(store, by, 'create', row.id, async (store) => {
        // Writes that are audited come one after the other, so that nobody passes this at the same moment.
        const { keys } = quotas()
        if ((await countKeysOf(store, owner.id)) >= keys) throw quotaExceeded('API keys of a user', keys)
        await insertKeys(store, [row])
      })
      return { key: find(by, row.id), secret }
    },
    async change(by, id, fields) {
      const columns = checked(ownerOf(writable(by, id)), fields)
      await writeKey(store, by, 'change', id, (store) => updateKey(store, id, columns))
      return find(by, id)
    },
    async rotate(by, id, overlapMs) {
      writable(by, id)
      const before = directory.keys.get(id)
      if (before === undefined) throw notFound()
      const secret = newSecret(random)
      const previous =
        overlapMs > 0
          ? { previousDigest: before.digest, previousUntil: new Date(clock.now() + overlapMs) }
          : { previousDigest: null, previousUntil: null }
      const columns = { digest: sha256Hex(secret), hint: keyHint(secret), ...previous }
      await writeKey(store, by, 'change', id, (store) => updateKey(store, id, columns))
      return { key: find(by, id), secret }
    },
    async remove(by, id) {
      writable(by, id)
      await writeKey(store, by, 'remove', id, (store) => deleteKey(store, id))
    },
  }
}

/** Runs a write to one key and records it in the audit trail. */
export function writeKey<T>(store: Store, by: Actor, verb: Verb, id: string, write: (store: Store) => Promise<T>): Promise<T> {
  return writeKeys(store, by, [{ action: `key.${verb}`, target: id }], write)
}

/** Runs a write to several keys and records each in the audit trail. */
export function writeKeys<T>(store: Store, by: Actor, deeds: readonly Deed[], write: (store: Store) => Promise<T>): Promise<T> {
  const look = async (store: Store, ids: readonly string[]) => new Map((await loadKeys(store, ids)).map((row) => [row.id, row]))
  return auditedAll(store, by, deeds, look, write)
}

/** A new secret: `sk-` and 48 base62 characters, 285 bits. */
export const newSecret = (random: Random): string => `sk-${random.base62(48)}`

/** The id and creation time of a new row. */
export interface NewRecord {
  id: string
  at: Date
}
/** A random id of 12 bytes in hexadecimal, and the current time. */
export const newRecord = (clock: Clock, random: Random): NewRecord => ({ id: random.hex(12), at: new Date(clock.now()) })

/** The row of a new key with default settings. */
export function newKey(userId: string, name: string, secret: string, { id, at }: NewRecord): KeyRecord {
  return {
    id,
    userId,
    name,
    digest: sha256Hex(secret),
    hint: keyHint(secret),
    group: null,
    models: null,
    expiresAt: null,
    enabled: true,
    strict: false,
    ...keptBodies(false),
    budget: null,
    limits: null,
    managed: 'console',
    createdAt: at,
    lastUsedAt: null,
    lastUsedFrom: null,
    note: null,
    addresses: null,
    previousDigest: null,
    previousUntil: null,
  }
}

/** What the console shows of a secret, such as `sk-...Ab3d`. */
export const keyHint = (secret: string): string => `sk-...${secret.slice(-4)}`

/** The columns set by the given fields; absent fields are left out. Throws `invalid_value`. */
export function keyColumns(fields: KeyPatch): Partial<KeyRecord> {
  const { name, group, models, expiresAt, enabled, strict, logBodies, note, addresses } = fields
  return {
    ...(name !== undefined && { name }),
    ...(group !== undefined && { group }),
    ...(models !== undefined && { models }),
    ...(expiresAt !== undefined && { expiresAt: readInstant(expiresAt, 'expiresAt') }),
    ...(enabled !== undefined && { enabled }),
    ...(strict !== undefined && { strict }),
    ...(logBodies !== undefined && keptBodies(logBodies)),
    ...(note !== undefined && { note: note === '' ? null : note }),
    ...(addresses !== undefined && { addresses: readAddresses(addresses) }),
    ...readBounds(fields),
  }
}

/** The columns that say which requests are kept. */
const keptBodies = (keep: KeepBodies) => ({ keepBodies: keep === 0 ? false : keep, logBodies: keep === true })

/** Null and an empty list both mean every address. Throws `invalid_value`. */
function readAddresses(given: readonly string[] | null): string[] | null {
  if (given === null || given.length === 0) return null
  addressList(given)
  return [...given]
}

function readInstant(text: string | null, param: string): Date | null {
  if (text === null) return null
  const instant = new Date(text)
  if (!(instant.getTime() > 0)) throw invalid(param, 'a time after 1970')
  return instant
}

function lastUse(key: ApiKey, noted: number | undefined): string | null {
  const latest = Math.max(key.lastUsedAt?.getTime() ?? 0, noted ?? 0)
  return latest === 0 ? null : new Date(latest).toISOString()
}
