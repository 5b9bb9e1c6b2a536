/** Rows of management keys. The key itself is never stored, only its digest. */
import { eq, sql } from 'drizzle-orm'
import { managementKeys } from '#db/accounts'
import type { Store } from '#store/engine/store'

/** A row. */
export type ManagementKeyRecord = typeof managementKeys.$inferSelect

/** Every management key. */
export const loadManagementKeys = ({ db }: Store): Promise<ManagementKeyRecord[]> => db.select().from(managementKeys)

/** The management key of this id, if it exists. */
export async function loadManagementKey({ db }: Store, id: string): Promise<ManagementKeyRecord | undefined> {
  const [row] = await db.select().from(managementKeys).where(eq(managementKeys.id, id))
  return row
}

/** How many management keys the user has. */
export const countManagementKeysOf = ({ db }: Store, userId: string): Promise<number> =>
  db.$count(managementKeys, eq(managementKeys.userId, userId))

/** Inserts a management key. */
export async function insertManagementKey(store: Store, row: ManagementKeyRecord): Promise<void> {
  await store.db.insert(managementKeys).values(row)
  await store.changes.publish('management_keys', row.id)
}

/** Deletes the management key, if it exists. */
export async function deleteManagementKey(store: Store, id: string): Promise<void> {
  await store.db.delete(managementKeys).where(eq(managementKeys.id, id))
  await store.changes.publish('management_keys', id)
}

/** Writes when and from where they were last used, in one statement. Not published: mirrors read it with their poll. */
export async function touchManagementKeys(
  { db }: Store,
  seen: readonly (readonly [id: string, at: Date, from: string | null])[],
): Promise<void> {
  if (seen.length === 0) return
  const values = seen.map(([id, at, from]) => sql`(${id}::text, ${at.toISOString()}::timestamptz, ${from}::text)`)
  await db.execute(sql`
    update ${managementKeys} set last_used_at = seen.at, last_used_from = coalesce(seen.place, last_used_from)
    from (values ${sql.join(values, sql`, `)}) as seen(id, at, place)
    where ${managementKeys.id} = seen.id and coalesce(${managementKeys.lastUsedAt} < seen.at, true)`)
}
