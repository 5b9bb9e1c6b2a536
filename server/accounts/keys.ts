/** API keys. Only the owner sees or changes a key, not even an administrator does; the owner is therefore always the actor. */
import type { Clock, Random } from '#runtime/clock'
import { sha256Hex } from '#runtime/secrets'
import type { Actor } from '#shared/console/audit'
import type { KeyPatch, KeyRow, NewKey } from '#shared/console/key'
import type { Quotas } from '#shared/console/quota'
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
  row(key: ApiKey): KeyRow
  /** The row and the secret, which cannot be retrieved again. Throws `group_not_allowed`, `invalid_value`, `quota_exceeded`. */
  create(owner: User, fields: NewKey): Promise<{ key: ApiKey; secret: string }>
  /** Throws `not_found` for another's key, `managed_by_file`, `group_not_allowed`, `invalid_value`, `quota_exceeded`. */
  change(owner: User, id: string, fields: KeyPatch): Promise<ApiKey>
  /** Throws `not_found` for another's key, `managed_by_file`. */
  remove(owner: User, id: string): Promise<void>
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
  function owned(owner: User, id: string): ApiKey {
    const key = directory.keys.get(id)?.key
    if (key?.userId !== owner.id) throw notFound()
    return key
  }

  function writable(owner: User, id: string): ApiKey {
    const key = owned(owner, id)
    demandConsole(key)
    return key
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
    row: (key) => ({
      id: key.id,
      name: key.name,
      createdAt: key.createdAt.toISOString(),
      group: key.group,
      models: key.models === null ? null : [...key.models],
      expiresAt: key.expiresAt?.toISOString() ?? null,
      enabled: key.enabled,
      strict: key.strict,
      logBodies: key.logBodies,
      budget: key.budget,
      limits: key.limits,
      hint: key.hint,
      managed: key.managed,
      lastUsedAt: lastUse(key, keyUses.last(key.id)),
    }),
    async create(owner, fields) {
      const secret = newSecret(random)
      const row = { ...newKey(owner.id, fields.name, secret, newRecord(clock, random)), ...checked(owner, fields) }
      await writeKey(store, owner, 'create', row.id, async (store) => {
        // Writes that are audited come one after the other, so that nobody passes this at the same moment.
        const { keys } = quotas()
        if ((await countKeysOf(store, owner.id)) >= keys) throw quotaExceeded('API keys of a user', keys)
        await insertKeys(store, [row])
      })
      return { key: owned(owner, row.id), secret }
    },
    async change(owner, id, fields) {
      writable(owner, id)
      const columns = checked(owner, fields)
      await writeKey(store, owner, 'change', id, (store) => updateKey(store, id, columns))
      return owned(owner, id)
    },
    async remove(owner, id) {
      writable(owner, id)
      await writeKey(store, owner, 'remove', id, (store) => deleteKey(store, id))
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
    logBodies: false,
    budget: null,
    limits: null,
    managed: 'console',
    createdAt: at,
    lastUsedAt: null,
  }
}

/** What the console shows of a secret, such as `sk-...Ab3d`. */
export const keyHint = (secret: string): string => `sk-...${secret.slice(-4)}`

/** The columns set by the given fields; absent fields are left out. Throws `invalid_value`. */
export function keyColumns(fields: KeyPatch): Partial<KeyRecord> {
  const { name, group, models, expiresAt, enabled, strict, logBodies } = fields
  return {
    ...(name !== undefined && { name }),
    ...(group !== undefined && { group }),
    ...(models !== undefined && { models }),
    ...(expiresAt !== undefined && { expiresAt: readInstant(expiresAt, 'expiresAt') }),
    ...(enabled !== undefined && { enabled }),
    ...(strict !== undefined && { strict }),
    ...(logBodies !== undefined && { logBodies }),
    ...readBounds(fields),
  }
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
