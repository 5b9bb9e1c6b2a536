/**
 * The audit trail: every change by a person, the file or the setup is recorded in the same transaction. Secrets are never recorded:
 * for a hash, a digest, a sealed key or a header value only whether it is set and that it changed.
 */
import { and, desc, eq, gte, lt, or, type SQL, sql } from 'drizzle-orm'
import { audit } from '#db/schema'
import type { Actor } from '#shared/console/audit'
import { GatewayError } from '#shared/errors'
import { sameValue } from '#shared/same-value'
import { atomically } from '#store/engine/atomic'
import { inLots } from '#store/engine/batches'
import type { Store } from '#store/engine/store'

/** A row of the audit trail. */
export type AuditRecord = typeof audit.$inferSelect

/** An action on a row. */
export interface Deed {
  /** `key.create`, `user.credit`, ... */
  action: string
  /** Id of the row. */
  target: string
}

type Facts = Record<string, unknown>

/** An arbitrary number used for no other lock: 727_539_265 is the ledger's. The same in every build. */
const lockKey = 727_539_266

/** Runs `work`, which calls `note`, in one transaction. These transactions are serialised, so that rows are numbered in commit order. */
export function onRecord<T>(store: Store, work: (store: Store) => Promise<T>): Promise<T> {
  return atomically(store, async (store) => {
    await store.db.execute(sql`select pg_advisory_xact_lock(${sql.raw(String(lockKey))})`)
    return work(store)
  })
}

/**
 * Runs `work` and records the difference in what `look` returns before and after (the whole row, or undefined); nothing is recorded
 * when nothing changed.
 */
export function audited<T>(
  store: Store,
  by: Actor,
  deed: Deed,
  look: (store: Store) => Promise<object | undefined>,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const lookAtIt = async (store: Store) => {
    const row = await look(store)
    return new Map(row && [[deed.target, row]])
  }
  return auditedAll(store, by, [deed], lookAtIt, work)
}

/** `audited` for many rows of one kind, each with its own entry; `look` returns those of the targets that exist. */
export function auditedAll<T>(
  store: Store,
  by: Actor,
  deeds: readonly Deed[],
  look: (store: Store, targets: readonly string[]) => Promise<ReadonlyMap<string, object>>,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  return onRecord(store, async (store) => {
    const targets = deeds.map(({ target }) => target)
    const before = await look(store, targets)
    const result = await work(store)
    const after = await look(store, targets)
    const notes = deeds.flatMap((deed) => difference(deed, factsOf(before.get(deed.target)), factsOf(after.get(deed.target))) ?? [])
    await noteAll(store, by, notes)
    return result
  })
}

function difference(deed: Deed, before: Facts | undefined, after: Facts | undefined): Note | undefined {
  const fields = Object.keys({ ...before, ...after }).filter((field) => !sameValue(before?.[field], after?.[field]))
  if (fields.length === 0) return undefined
  const name = after?.name ?? before?.name
  return { ...deed, name: typeof name === 'string' ? name : deed.target, ...shown(fields, before, after) }
}

/** An audit entry to write. */
export interface Note extends Deed {
  /** The target's name. */
  name: string
  before?: Facts | null
  after?: Facts | null
}

/** Writes one entry. Call it inside `onRecord`, together with the change. */
export const note = (store: Store, by: Actor, what: Note): Promise<void> => noteAll(store, by, [what])

/** Writes several entries, in this order. */
export async function noteAll({ db }: Store, { id, name, requestId, through }: Actor, notes: readonly Note[]): Promise<void> {
  const who = through
    ? { actor: through.id, actorName: through.name, ownerId: id, ownerName: name }
    : { actor: id, actorName: name, ownerId: null, ownerName: null }
  const rows = notes.map(({ action, target, name: targetName, before = null, after = null }) => {
    return { ...who, action, target, targetName, before, after, requestId: requestId ?? null }
  })
  await inLots(rows, (lot) => db.insert(audit).values(lot))
}

/** A page of the trail. */
export interface AuditPage {
  rows: AuditRecord[]
  /** Pass this as `after` to get older rows; null at the end. */
  next: string | null
}

/** Filter and position of a page. */
export interface AuditQuestion {
  limit: number
  after?: string
  /** An id or a name; for a user also the actions of their management keys. */
  actor?: string
  /** An id or a name. */
  target?: string
  /** `key.create`, or `key` for all its actions. */
  action?: string
  /** At or after this time. */
  from?: Date
  /** Before this time. */
  to?: Date
}

/** Approximate bytes of rows after which a page ends, and how many rows are read before their size is known. */
const mostBytes = 1024 * 1024
const firstLot = 8

/**
 * One page, newest first. It has fewer rows than requested where they are large: one row may hold half a megabyte of names. Throws
 * `invalid_value` when `after` is not a cursor of this trail.
 */
export async function pageAudit(store: Store, { limit, ...asked }: AuditQuestion): Promise<AuditPage> {
  const rows: AuditRecord[] = []
  let bytes = 0
  let { after } = asked
  while (rows.length < limit && bytes < mostBytes) {
    const fits = rows.length === 0 ? firstLot : Math.ceil((mostBytes - bytes) / Math.max(1, bytes / rows.length))
    const lot = Math.min(limit - rows.length, fits)
    const found = await lotOf(store, { ...asked, ...(after !== undefined && { after }), limit: lot + 1 })
    rows.push(...found.slice(0, lot))
    bytes += JSON.stringify(found.slice(0, lot).map(({ before, after: then }) => [before, then])).length
    after = String(rows.at(-1)?.id)
    if (found.length <= lot) return { rows, next: null }
  }
  return { rows, next: after ?? null }
}

function lotOf({ db }: Store, { limit, after, actor, target, action, from, to }: AuditQuestion): Promise<AuditRecord[]> {
  return db
    .select()
    .from(audit)
    .where(
      and(
        after === undefined ? undefined : olderThan(after),
        actor === undefined
          ? undefined
          : or(...[audit.actor, audit.actorName, audit.ownerId, audit.ownerName].map((column) => eq(column, actor))),
        target === undefined ? undefined : or(eq(audit.target, target), eq(audit.targetName, target)),
        from === undefined ? undefined : gte(audit.at, from),
        to === undefined ? undefined : lt(audit.at, to),
        action === undefined ? undefined : or(eq(audit.action, action), sql`starts_with(${audit.action}, ${`${action}.`})`),
      ),
    )
    .orderBy(desc(audit.id))
    .limit(limit)
}

function olderThan(after: string): SQL {
  if (/^\d{1,18}$/.test(after)) return lt(audit.id, BigInt(after))
  throw new GatewayError('invalid_value', "'after' must be the 'next' of an earlier page.", { param: 'after' })
}

/** Columns that are not recorded: identity, changed by use, or already in the entry itself. */
const leftOut = new Set(['id', 'userId', 'createdAt', 'changedAt', 'lastUsedAt', 'lastUsedFrom'])
const secret = new Set(['passwordHash', 'digest', 'previousDigest', 'sealed', 'headers'])
/** Columns of a channel in which an operator may have put a secret, and what such fields are called. */
const maybeSecret = new Set(['params', 'options'])
const secretName = /key|token|secret|passw|auth|credential|cookie/i

/** The row as JSON; null columns become absent fields. */
function factsOf(row: object | undefined): Facts | undefined {
  if (row === undefined) return undefined
  const facts = Object.entries(row).filter(([field, value]) => !leftOut.has(field) && value !== null && value !== undefined)
  return Object.fromEntries(facts.map(([field, value]) => [field, plain(value)]))
}

function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString()
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, plain(part)]))
}

function shown(fields: readonly string[], before: Facts | undefined, after: Facts | undefined): Pick<Note, 'before' | 'after'> {
  const then = pick(fields, before)
  const now = pick(fields, after)
  // Values that differ only in their secrets would look equal.
  for (const field of now && then ? fields : [])
    if (sameValue(then?.[field], now?.[field])) Object.assign(now ?? {}, { [field]: 'changed' })
  return { before: then, after: now }
}

/** Null where there was no row; otherwise a field that was not set is null. */
function pick(fields: readonly string[], facts: Facts | undefined): Facts | null {
  return facts ? Object.fromEntries(fields.map((field) => [field, masked(field, facts[field] ?? null)])) : null
}

function masked(field: string, value: unknown, isSuspect = maybeSecret.has(field)): unknown {
  if (Array.isArray(value)) return value.map((part) => masked('', part, isSuspect))
  const isSecret = secret.has(field) || (isSuspect && secretName.test(field))
  if (typeof value === 'object' && value !== null) {
    const parts = Object.entries(value).map(([name, part]) => [name, masked(isSecret ? 'sealed' : name, part, isSuspect)])
    return Object.fromEntries(parts)
  }
  if (isSecret && value !== null) return 'set'
  return field === 'baseUrl' && typeof value === 'string' ? withoutCredentials(value) : value
}

/** A URL without possible secrets: user, password, and the values of its query. */
function withoutCredentials(address: string): string {
  if (!URL.canParse(address)) return address
  const url = new URL(address)
  if (url.username === '' && url.password === '' && url.search === '') return address
  url.username = ''
  url.password = ''
  for (const name of [...url.searchParams.keys()]) url.searchParams.set(name, 'set')
  return url.href
}
