/** The entries of a wallet, with charges for requests summed by day; all others separately. */
import { desc, eq, lt, sql } from 'drizzle-orm'
import { entries } from '#db/schema'
import type { Store } from '#store/engine/store'
import { countedEntries, type EntryFilter, type EntryRecord, shown } from './entries.ts'
import { dayOfAt, daysOf } from './zone-days.ts'

/**
 * A line: a single entry, or all charges of a day. The latter has the id, time and balance of its newest charge, and the sum of
 * all of them as `amount`.
 */
export interface EntryLine extends EntryRecord {
  /** `2026-03-01`; null for a single entry. */
  day: string | null
  /** Number of entries in it. */
  entries: number
}

/** Newest first, by the newest entry of each line; those before a line. Throws RangeError for an unknown time zone. */
export async function pageEntryDays(
  { db }: Pick<Store, 'db'>,
  walletId: string,
  { limit, before, timezone, ...filter }: EntryFilter & { limit: number; before?: bigint; timezone: string },
): Promise<{ lines: EntryLine[]; next: bigint | null }> {
  const [span] = await db
    .select({ first: sql`min(${entries.at})`.mapWith(entries.at), last: sql`max(${entries.at})`.mapWith(entries.at) })
    .from(entries)
    .where(eq(entries.walletId, walletId))
  if (!span?.first || !span.last) return { lines: [], next: null }
  const days = daysOf(timezone, span.first, new Date(span.last.getTime() + 1))
  const counted = db.$with('counted').as(countedEntries(db, walletId))
  const dated = db.$with('dated').as(
    db
      .select({
        id: counted.id,
        amount: counted.amount,
        day: sql<string | null>`case when ${counted.kind} = 'usage' then ${dayOfAt(days)} end`.as('day'),
        single: sql`case when ${counted.kind} <> 'usage' then ${counted.id} end`.as('single'),
      })
      .from(counted)
      .where(shown(counted, filter)),
  )
  const newest = sql`max(${dated.id})`
  const lines = db.$with('lines').as(
    db
      .select({
        newest: newest.mapWith(BigInt).as('newest'),
        sum: sql`sum(${dated.amount})`.mapWith(BigInt).as('sum'),
        entries: sql`count(*)`.mapWith(Number).as('entries'),
        day: dated.day,
      })
      .from(dated)
      .groupBy(dated.day, dated.single)
      .having(before === undefined ? undefined : lt(newest, before))
      .orderBy(desc(newest))
      .limit(limit + 1),
  )
  const found = await db
    .with(counted, dated, lines)
    .select({
      id: counted.id,
      walletId: counted.walletId,
      amount: lines.sum,
      kind: counted.kind,
      ref: counted.ref,
      actor: counted.actor,
      reason: counted.reason,
      at: counted.at,
      balance: counted.balance,
      day: lines.day,
      entries: lines.entries,
    })
    .from(lines)
    .innerJoin(counted, eq(counted.id, lines.newest))
    .orderBy(desc(counted.id))
  const page = found.slice(0, limit)
  return { lines: page, next: found.length > page.length ? (page.at(-1)?.id ?? null) : null }
}
