/** Rows of alert hooks. */
import { eq } from 'drizzle-orm'
import { alertHooks } from '#db/alerts'
import type { Store } from '#store/engine/store'

/** A row. */
export type AlertHookRecord = typeof alertHooks.$inferSelect

/** Every hook, oldest first. */
export const loadAlertHooks = ({ db }: Store): Promise<AlertHookRecord[]> => db.select().from(alertHooks).orderBy(alertHooks.createdAt)

/** The hook of this id, if it exists. */
export async function loadAlertHook({ db }: Store, id: string): Promise<AlertHookRecord | undefined> {
  const [row] = await db.select().from(alertHooks).where(eq(alertHooks.id, id))
  return row
}

/** Inserts a hook. */
export const insertAlertHook = ({ db }: Store, row: AlertHookRecord): Promise<unknown> => db.insert(alertHooks).values(row)

/** Changes a hook, if it exists. */
export const updateAlertHook = ({ db }: Store, id: string, fields: Partial<AlertHookRecord>): Promise<unknown> =>
  db.update(alertHooks).set(fields).where(eq(alertHooks.id, id))

/** Deletes a hook with its pending deliveries. */
export const deleteAlertHook = ({ db }: Store, id: string): Promise<unknown> => db.delete(alertHooks).where(eq(alertHooks.id, id))
