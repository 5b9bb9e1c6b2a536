/** The entries of a wallet, to be read. */
import { and, desc, eq, lt } from 'drizzle-orm'
import { entries } from '#db/schema'
import type { Store } from '#store/engine/store'

/** An entry: money that came to a wallet or left it. */
export type EntryRecord = typeof entries.$inferSelect

/** Newest first, those older than the entry `before`; `next` is where the next page begins. */
export async function pageEntries(
  { db }: Pick<Store, 'db'>,
  walletId: string,
  { limit, before }: { limit: number; before?: bigint },
): Promise<{ rows: EntryRecord[]; next: string | null }> {
  const older = before === undefined ? undefined : lt(entries.id, before)
  const found = await db
    .select()
    .from(entries)
    .where(and(eq(entries.walletId, walletId), older))
    .orderBy(desc(entries.id))
    .limit(limit + 1)
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  return { rows, next: last && found.length > rows.length ? String(last.id) : null }
}
