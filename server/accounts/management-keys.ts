/** Management keys: they authorize the console's API within their scopes, never model endpoints. Only their owner sees them. */
import type { Clock, Random } from '#runtime/clock'
import { sha256Hex } from '#runtime/secrets'
import type { Actor } from '#shared/console/audit'
import type { ManagementKeyRow, NewManagementKey, Scope } from '#shared/console/management-key'
import { GatewayError } from '#shared/errors'
import { audited } from '#store/accounts/audit'
import {
  countManagementKeysOf,
  deleteManagementKey,
  insertManagementKey,
  loadManagementKey,
  type ManagementKeyRecord,
  touchManagementKeys,
} from '#store/accounts/management-keys'
import type { Store } from '#store/engine/store'
import type { User } from './caller.ts'
import type { Directory } from './directory.ts'
import { newRecord } from './keys.ts'
import { createLastUsed } from './last-used.ts'
import { invalid, notFound, quotaExceeded } from './refusals.ts'

/** Management keys that one user may have. */
const mostOfAUser = 100

/** Anything else is rejected before it is hashed. */
const keyForm = /^pk-[\x21-\x7e]{8,200}$/

/** A program that acts for a user. */
export interface Managing {
  user: User
  /** The management key, as the audit trail names it. */
  key: { id: string; name: string; scopes: readonly Scope[] }
}

/** Reads, creates and removes management keys, and admits requests with one. */
export interface ManagementKeys {
  /** The user's own. */
  rowsOf(user: User): ManagementKeyRow[]
  /** The row and the secret, which cannot be retrieved again. Throws `invalid_value`, `quota_exceeded`. */
  create(by: User & Actor, fields: NewManagementKey): Promise<{ row: ManagementKeyRow; secret: string }>
  /** Throws `not_found` for another user's. */
  remove(by: User & Actor, id: string): Promise<void>
  /**
   * The user for whom this secret acts. Throws `invalid_api_key` for one that is malformed, unknown or expired, or whose owner is
   * disabled or whose role has changed since it was created. Synchronous, from memory.
   */
  admit(secret: string, address: string): Managing
  /** Whether the key with this id would be admitted now. Does not count as a use. */
  isLive(id: string): boolean
  /** Writes when they were last used. */
  flush(): Promise<void>
}

const refused = () => new GatewayError('invalid_api_key', 'The management key is missing or not valid.')

/** Management keys over the store and the directory. */
export function createManagementKeys(parts: { store: Store; directory: Directory; clock: Clock; random: Random }): ManagementKeys {
  const { store, directory, clock, random } = parts
  const uses = createLastUsed()

  /** The owner for whom the key may act now. */
  function ownerOf(key: ManagementKeyRecord | undefined): User | undefined {
    if (key === undefined || (key.expiresAt !== null && key.expiresAt.getTime() <= clock.now())) return undefined
    const user = directory.users.get(key.userId)
    return user?.enabled && user.role === key.role ? user : undefined
  }

  function rowOf(key: ManagementKeyRecord): ManagementKeyRow {
    const used = Math.max(key.lastUsedAt?.getTime() ?? 0, uses.last(key.id) ?? 0)
    return {
      id: key.id,
      name: key.name,
      scopes: [...key.scopes],
      hint: key.hint,
      createdAt: key.createdAt.toISOString(),
      expiresAt: key.expiresAt?.toISOString() ?? null,
      lastUsedAt: used === 0 ? null : new Date(used).toISOString(),
      lastUsedFrom: uses.lastFrom(key.id) ?? key.lastUsedFrom,
      valid: ownerOf(key) !== undefined,
    }
  }

  function own(by: User, id: string): ManagementKeyRecord {
    const key = directory.managementKeys.get(id)
    if (key?.userId !== by.id) throw notFound()
    return key
  }

  const write = (by: Actor, verb: 'create' | 'remove', id: string, work: (store: Store) => Promise<void>) =>
    audited(store, by, { action: `managementKey.${verb}`, target: id }, (store) => loadManagementKey(store, id), work)

  return {
    rowsOf: (user) => [...directory.managementKeys.all()].filter(({ userId }) => userId === user.id).map(rowOf),
    async create(by, { name, scopes, expiresAt = null }) {
      const { id, at } = newRecord(clock, random)
      const until = expiresAt === null ? null : new Date(expiresAt)
      if (until !== null && !(until.getTime() > clock.now())) throw invalid('expiresAt', 'a time in the future')
      const secret = `pk-${random.base62(48)}`
      const row = {
        ...{ id, userId: by.id, name, digest: sha256Hex(secret), hint: `pk-...${secret.slice(-4)}`, scopes, role: by.role },
        ...{ expiresAt: until, createdAt: at, lastUsedAt: null, lastUsedFrom: null },
      }
      await write(by, 'create', id, async (store) => {
        // Audited writes are serialised, so no two pass this check at once.
        if ((await countManagementKeysOf(store, by.id)) >= mostOfAUser) throw quotaExceeded('management keys of a user', mostOfAUser)
        await insertManagementKey(store, row)
      })
      return { row: rowOf(own(by, id)), secret }
    },
    async remove(by, id) {
      own(by, id)
      await write(by, 'remove', id, (store) => deleteManagementKey(store, id))
    },
    admit(secret, address) {
      const key = keyForm.test(secret) ? directory.managementKeyWithDigest(sha256Hex(secret)) : undefined
      const user = ownerOf(key)
      if (key === undefined || user === undefined) throw refused()
      uses.touch(key.id, clock.now(), { clientAddress: address })
      return { user, key: { id: key.id, name: key.name, scopes: key.scopes } }
    },
    isLive: (id) => ownerOf(directory.managementKeys.get(id)) !== undefined,
    async flush() {
      await uses.flush((seen) =>
        touchManagementKeys(
          store,
          seen.map(([id, at]) => [id, at, uses.lastFrom(id) ?? null]),
        ),
      )
      uses.keep((id) => directory.managementKeys.get(id) !== undefined)
    },
  }
}
