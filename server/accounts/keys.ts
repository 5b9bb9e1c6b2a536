/** API keys. Their owner and administrators may see and change them; for keys of a team, its managers and the key's creator. */

import { addressList } from '#runtime/address-list'
import type { Clock, Random } from '#runtime/clock'
import { sha256Hex } from '#runtime/secrets'
import type { Actor } from '#shared/console/audit'
import type { KeepBodies } from '#shared/console/body'
import type { KeyPatch, KeyRow, NewKey } from '#shared/console/key'
import type { Quotas } from '#shared/console/quota'
import { GatewayError } from '#shared/errors'
import { memberIdOf } from '#shared/ids'
import { auditedAll, type Deed } from '#store/accounts/audit'
import { countKeysOf, deleteKey, insertKeys, type KeyRecord, loadKeys, updateKey } from '#store/accounts/keys'
import type { Store } from '#store/engine/store'
import type { ApiKey, User, Verb } from './caller.ts'
import { type Directory, usableGroup } from './directory.ts'
import type { LastUsed } from './last-used.ts'
import {
  demandConsole,
  groupNotAllowed,
  invalid,
  notFound,
  notPermittedInTeam,
  quotaExceeded,
  readBounds,
  teamNotAllowed,
} from './refusals.ts'
import { manages, maySpend, roleIn, seesAll } from './team-rights.ts'

/** Reads and changes API keys. */
export interface Keys {
  /** The keys that the user owns and pays for. */
  ownedBy(user: User): ApiKey[]
  /**
   * Keys of a team: all for roles that see all, for other members those that they created. Throws `not_found` for non-members.
   */
  ofTeam(by: User, teamId: string): ApiKey[]
  /** How many of the user's keys count for the quota. */
  countOf(user: User): number
  /** Every key of every user. */
  all(): ApiKey[]
  /** Throws `not_found` for another's key, except for administrators, and users whose role in its team shows it. */
  find(by: User, id: string): ApiKey
  row(key: ApiKey): KeyRow
  /**
   * The row and the secret, which cannot be retrieved again. Throws `group_not_allowed`, `team_not_allowed`, `invalid_value`,
   * `quota_exceeded`; `not_permitted` when `fields.user` names someone else and the caller is neither an administrator nor, for a member,
   * a manager of the team.
   */
  create(by: User, fields: NewKey): Promise<{ key: ApiKey; secret: string }>
  /**
   * Throws as `find` does, `not_permitted` for read-only roles, `managed_by_file`, `group_not_allowed`, `invalid_value`, `quota_exceeded`.
   */
  change(by: User, id: string, fields: KeyPatch): Promise<ApiKey>
  /** A new secret; the old one stays valid for `overlapMs`. Throws as `find` does, `managed_by_file`. */
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
    if (key === undefined || !isShownTo(by, key)) throw notFound()
    return key
  }

  function isShownTo(by: User, { userId, teamId }: ApiKey): boolean {
    if (by.role === 'admin') return true
    if (teamId === null) return userId === by.id
    const role = roleIn(directory, by, teamId)
    return seesAll(role) || (role === 'member' && userId === by.id)
  }

  function writable(by: User, id: string): ApiKey {
    const key = find(by, id)
    if (key.teamId !== null && roleIn(directory, by, key.teamId) === 'accountant') throw notPermittedInTeam()
    demandConsole(key)
    return key
  }

  /** Its payer. */
  function ownerOf({ userId, teamId }: ApiKey): User {
    const owner = teamId === null ? directory.users.get(userId) : directory.teams.get(teamId)?.payer
    if (owner === undefined) throw notFound()
    return owner
  }

  /** The team of this id or name, and the member for whom the key is created. */
  function newOwnerInTeam(by: User, named: string, user: string | undefined): { maker: User; owner: User } {
    const team = directory.teams.get(named) ?? directory.teamNamed(named)
    const role = team && roleIn(directory, by, team.team.id)
    if (team === undefined || role === undefined || role === 'accountant') throw teamNotAllowed()
    if (user === undefined || user === by.id || user === by.name) return { maker: by, owner: team.payer }
    if (!manages(role))
      throw new GatewayError('not_permitted', 'Only owners and managers of the team may create keys for others.', { param: 'user' })
    const maker = directory.users.get(user) ?? directory.userNamed(user)
    if (!maker || !maySpend(directory.members.get(memberIdOf(team.team.id, maker.id)))) throw invalid('user', 'a member who may spend')
    return { maker, owner: team.payer }
  }

  function newOwner(by: User, named: string | undefined): User {
    if (named === undefined || named === by.id || named === by.name) return by
    if (by.role !== 'admin') throw new GatewayError('not_permitted', 'Only administrators may create keys for others.', { param: 'user' })
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

  const ownedBy = (user: User) => [...directory.keys.all()].flatMap(({ key }) => (key.teamId === null && key.userId === user.id ? key : []))

  return {
    ownedBy,
    ofTeam(by, teamId) {
      if (roleIn(directory, by, teamId) === undefined) throw notFound()
      return [...directory.keys.all()].flatMap(({ key }) => (key.teamId === teamId && isShownTo(by, key) ? key : []))
    },
    countOf: (user) => ownedBy(user).filter(({ managed }) => managed === 'console').length,
    all: () => [...directory.keys.all()].map(({ key }) => key),
    find,
    row: (key) => ({
      id: key.id,
      name: key.name,
      user: { id: key.userId, name: directory.users.get(key.userId)?.name ?? '' },
      team: key.teamId === null ? null : { id: key.teamId, name: directory.teams.get(key.teamId)?.team.name ?? '' },
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
    async create(by, { user, team, ...fields }) {
      const { maker, owner } = team === undefined ? ownKey(newOwner(by, user)) : newOwnerInTeam(by, team, user)
      const teamId = team === undefined ? null : owner.id
      const secret = newSecret(random)
      const row = {
        ...newKey(maker.id, fields.name, secret, newRecord(clock, random)),
        ...checked(owner, fields),
        ...(teamId !== null && paidBy(teamId, maker.id)),
      }
      await writeKey(store, by, 'create', row.id, async (store) => {
        // Audited writes are serialised, so no two pass this check at once.
        const { keys } = quotas()
        if ((await countKeysOf(store, owner.id)) >= keys) throw quotaExceeded(`API keys of a ${teamId === null ? 'user' : 'team'}`, keys)
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

/** The columns of a key that a team owns. */
export const paidBy = (teamId: string, makerId: string) => ({ userId: null, teamId, makerId })

const ownKey = (owner: User) => ({ maker: owner, owner })

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
    teamId: null,
    makerId: null,
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

/** The part of a secret that the console shows, such as `sk-...Ab3d`. */
export const keyHint = (secret: string): string => `sk-...${secret.slice(-4)}`

/** The columns set by the given fields; absent fields are omitted. Throws `invalid_value`. */
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

/** The columns for which requests are stored. */
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
