/** Rows of sealed tool call state, per tenant. Expired rows are never returned, whether deleted yet or not. */
import { and, eq, gt, inArray, sql } from 'drizzle-orm'
import { itemConversations } from '#db/kept-items'
import { recollections, storedResponses } from '#db/reasoning-state'
import { returned } from '#store/engine/rows'
import type { Store } from '#store/engine/store'

/** A row. */
export type RecollectionRecord = typeof recollections.$inferSelect

/** Rows deleted per statement, so that a long sweep does not block others. */
const portion = 1_000

/** Inserts or replaces, in one statement. No two rows may have the same tenant and key. */
export async function writeRecollections({ db }: Store, rows: readonly RecollectionRecord[]): Promise<void> {
  if (rows.length === 0) return
  await db
    .insert(recollections)
    .values([...rows])
    .onConflictDoUpdate({
      target: [recollections.tenant, recollections.key],
      set: { sealed: sql`excluded.sealed`, expiresAt: sql`excluded.expires_at` },
    })
}

/** The tenant's rows with these keys that have not expired at `now`, in any order. */
export async function readRecollections({ db }: Store, tenant: string, keys: readonly string[], now: Date): Promise<RecollectionRecord[]> {
  if (keys.length === 0) return []
  const { tenant: owner, key, expiresAt } = recollections
  return db
    .select()
    .from(recollections)
    .where(and(eq(owner, tenant), inArray(key, [...keys]), gt(expiresAt, now)))
}

/** Deletes tool call state, stored responses and conversations that have expired at `now`; resolves to the number of rows. */
export async function deleteExpired({ db }: Store, now: Date): Promise<number> {
  let gone = 0
  for (const table of [recollections, storedResponses, itemConversations]) {
    const at = sql.param(now, table.expiresAt)
    for (;;) {
      // Expiry is checked again on deletion: a row renewed in between stays.
      const result = await db.execute(sql`
        delete from ${table} where expires_at <= ${at}
          and ctid = any(array(select ctid from ${table} where expires_at <= ${at} limit ${sql.raw(String(portion))}))
        returning 1`)
      const { length } = returned(result)
      gone += length
      if (length < portion) break
    }
  }
  return gone
}
