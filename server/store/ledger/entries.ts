/** Reads the entries of a wallet. */
import { type AnyColumn, and, desc, eq, gte, lt, type SQL, sql } from 'drizzle-orm'
import { accounts, entries, leases } from '#db/schema'
import type { Store } from '#store/engine/store'

/** An entry: money credited to or taken from a wallet, and the balance after it. Nano-dollars. */
export type EntryRecord = typeof entries.$inferSelect & { balance: bigint }

/** Filter of entries; absent: all. */
export interface EntryFilter {
  kind?: EntryRecord['kind']
  from?: Date
  /** Exclusive. */
  to?: Date
  /** Part of the reason or the cause, ignoring case. */
  words?: string
}

/** Entries older than `id`, which add up to `balance`. */
export interface EntryPlace {
  id: bigint
  balance: bigint
}

/**
 * Newest first, those before a place; `next` is where the next page begins. The balance of an entry counts every older entry, shown
 * or not: one statement reads the balance and the entries as of one moment.
 */
export async function pageEntries(
  { db }: Pick<Store, 'db'>,
  walletId: string,
  { limit, before, ...filter }: EntryFilter & { limit: number; before?: EntryPlace },
): Promise<{ rows: EntryRecord[]; next: EntryPlace | null }> {
  const counted = countedEntries(db, walletId, before).as('counted')
  const found = await db
    .select()
    .from(counted)
    .where(shown(counted, filter))
    .orderBy(desc(counted.id))
    .limit(limit + 1)
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  return { rows, next: last && found.length > rows.length ? { id: last.id, balance: last.balance - last.amount } : null }
}

/** The entries of a wallet, or those before a position, each with its balance. */
export function countedEntries(db: Store['db'], walletId: string, before?: EntryPlace) {
  const leased = db
    .select({ sum: sql`coalesce(sum(${leases.amount}), 0)` })
    .from(leases)
    .where(eq(leases.accountId, walletId))
  const whole = db
    .select({ sum: sql`${accounts.free} + (${leased})` })
    .from(accounts)
    .where(eq(accounts.id, walletId))
  const start = before === undefined ? sql`(${whole})` : sql`${before.balance}::bigint`
  const newer = sql`sum(${entries.amount}) over (order by ${entries.id} desc rows between unbounded preceding and 1 preceding)`
  return db
    .select({
      id: entries.id,
      walletId: entries.walletId,
      amount: entries.amount,
      kind: entries.kind,
      ref: entries.ref,
      actor: entries.actor,
      reason: entries.reason,
      at: entries.at,
      balance: sql`(${start} - coalesce(${newer}, 0))::bigint`.mapWith(BigInt).as('balance'),
    })
    .from(entries)
    .where(and(eq(entries.walletId, walletId), before && lt(entries.id, before.id)))
}

/** The filter as a condition. */
export const shown = (
  { kind, at, reason, ref }: Record<'kind' | 'at' | 'reason' | 'ref', AnyColumn>,
  { kind: only, from, to, words }: EntryFilter,
): SQL | undefined =>
  and(
    only && eq(kind, only),
    from && gte(at, from),
    to && lt(at, to),
    words === undefined ? undefined : sql`position(lower(${words}) in lower(${reason} || ' ' || ${ref})) > 0`,
  )
