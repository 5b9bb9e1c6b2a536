/** Rows of groups, one per name. */
import { eq, inArray } from 'drizzle-orm'
import { groups } from '#db/accounts'
import type { Store } from '#store/engine/store'

/** A row. */
export type GroupRecord = typeof groups.$inferSelect

/** Every group, or those with these names. */
export const loadGroups = ({ db }: Store, names?: readonly string[]): Promise<GroupRecord[]> =>
  db
    .select()
    .from(groups)
    .where(names && inArray(groups.name, [...names]))

/** The group of this name, if it exists. */
export async function loadGroup({ db }: Store, name: string): Promise<GroupRecord | undefined> {
  const [row] = await db.select().from(groups).where(eq(groups.name, name))
  return row
}

/** Inserts a group; false when the name is taken. */
export async function insertGroup(store: Store, row: GroupRecord): Promise<boolean> {
  const rows = await store.db.insert(groups).values(row).onConflictDoNothing().returning({ name: groups.name })
  await store.changes.publish('groups', row.name)
  return rows.length > 0
}

/** Writes the given fields. */
export async function updateGroup(store: Store, name: string, fields: Partial<GroupRecord>): Promise<void> {
  await store.db
    .update(groups)
    .set({ ...fields, name })
    .where(eq(groups.name, name))
  await store.changes.publish('groups', name)
}

/** Deletes the group, if it exists. */
export async function deleteGroup(store: Store, name: string): Promise<void> {
  await store.db.delete(groups).where(eq(groups.name, name))
  await store.changes.publish('groups', name)
}
