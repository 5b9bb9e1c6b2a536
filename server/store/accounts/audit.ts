/**
 * The audit trail: every change that a person, the file or the setup makes is written beside the change, in its transaction.
 * Secrets never get here: of a hash, a digest, a sealed key or the value of a header it is only said that there is one, or that
 * it changed.
 */
import { and, desc, eq, lt, or, type SQL, sql } from 'drizzle-orm'
import { audit } from '#db/schema'
import type { Actor } from '#shared/console/audit'
import { GatewayError } from '#shared/errors'
import { atomically } from '#store/engine/atomic'
import { inLots } from '#store/engine/batches'
import type { Store } from '#store/engine/store'
import { sameValue } from './same-value.ts'

export type AuditRecord = typeof audit.$inferSelect

export interface Deed {
  /** `key.create`, `user.credit`, ... */
  action: string
  /** Id of the row. */
  target: string
}

type Facts = Record<string, unknown>

/** Any number that nothing else locks: 727_539_265 is the books' own. The same in every build. */
const lockKey = 727_539_266

/** Runs `work`, which calls `note`, as one transaction. These come one after the other, so that rows are numbered as they are committed. */
export function onRecord<T>(store: Store, work: (store: Store) => Promise<T>): Promise<T> {
  return atomically(store, async (store) => {
    await store.db.execute(sql`select pg_advisory_xact_lock(${sql.raw(String(lockKey))})`)
    return work(store)
  })
}

/**
 * Does `work` and writes down what became different in what `look` sees, which is the row with all its columns, or undefined; when
 * nothing did, nothing is written.
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

/** `audited` for many rows of one kind, each its own deed; `look` answers those of the targets that are there. */
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

export interface Note extends Deed {
  /** What the target is called. */
  name: string
  before?: Facts | null
  after?: Facts | null
}

/** Writes a row as it stands. To be called within `onRecord`, beside the change. */
export const note = (store: Store, by: Actor, what: Note): Promise<void> => noteAll(store, by, [what])

/** As `note`, in this order. */
export async function noteAll({ db }: Store, { id, name, requestId }: Actor, notes: readonly Note[]): Promise<void> {
  const rows = notes.map(({ action, target, name: targetName, before = null, after = null }) => {
    return { actor: id, actorName: name, action, target, targetName, before, after, requestId: requestId ?? null }
  })
  await inLots(rows, (lot) => db.insert(audit).values(lot))
}

export interface AuditPage {
  rows: AuditRecord[]
  /** What to hand in as `after` for the rows before these; null at the end. */
  next: string | null
}

export interface AuditQuestion {
  limit: number
  after?: string
  /** An id or a name. */
  actor?: string
  /** An id or a name. */
  target?: string
  /** `key.create`, or `key` for all of a kind. */
  action?: string
}

/** Newest first. Throws `invalid_value` for an `after` that is not ours. */
export async function pageAudit({ db }: Store, { limit, after, actor, target, action }: AuditQuestion): Promise<AuditPage> {
  const found = await db
    .select()
    .from(audit)
    .where(
      and(
        after === undefined ? undefined : olderThan(after),
        actor === undefined ? undefined : or(eq(audit.actor, actor), eq(audit.actorName, actor)),
        target === undefined ? undefined : or(eq(audit.target, target), eq(audit.targetName, target)),
        action === undefined ? undefined : or(eq(audit.action, action), sql`starts_with(${audit.action}, ${`${action}.`})`),
      ),
    )
    .orderBy(desc(audit.id))
    .limit(limit + 1)
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  return { rows, next: last && found.length > rows.length ? String(last.id) : null }
}

function olderThan(after: string): SQL {
  if (/^\d{1,18}$/.test(after)) return lt(audit.id, BigInt(after))
  throw new GatewayError('invalid_value', "'after' must be the 'next' of an earlier page.", { param: 'after' })
}

/** What a row has for itself, or what changes by use. */
const leftOut = new Set(['id', 'userId', 'createdAt', 'lastUsedAt'])
const secret = new Set(['passwordHash', 'digest', 'sealed', 'headers'])

/** As JSON can hold it; an empty column is an absent field. */
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
  // What differs only in its secrets would look the same.
  for (const field of now && then ? fields : [])
    if (sameValue(then?.[field], now?.[field])) Object.assign(now ?? {}, { [field]: 'changed' })
  return { before: then, after: now }
}

/** Null where there was nothing; a field that was not set is null beside one that was. */
function pick(fields: readonly string[], facts: Facts | undefined): Facts | null {
  return facts ? Object.fromEntries(fields.map((field) => [field, masked(field, facts[field] ?? null)])) : null
}

function masked(field: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((part) => masked('', part))
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, masked(secret.has(field) ? field : name, part)]))
  }
  return secret.has(field) && value !== null ? 'set' : value
}
