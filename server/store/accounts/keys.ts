/** Rows of API keys. The key itself is never stored, only its digest. */
import { and, eq, inArray, sql } from 'drizzle-orm'
import { apiKeys } from '#db/accounts'
import { isTeamId } from '#shared/ids'
import { inLots } from '#store/engine/batches'
import type { Store } from '#store/engine/store'

/** A row. */
export type KeyRecord = typeof apiKeys.$inferSelect

/** Every key, or those with these ids. */
export const loadKeys = ({ db }: Store, ids?: readonly string[]): Promise<KeyRecord[]> =>
  db
    .select()
    .from(apiKeys)
    .where(ids && inArray(apiKeys.id, [...ids]))

/** Rows of a user or, where the id is a team's, of a team. */
const ownedBy = (id: string) => eq(isTeamId(id) ? apiKeys.teamId : apiKeys.userId, id)

/** The keys of a user, or of a team. */
export const loadKeysOf = ({ db }: Store, owner: string): Promise<KeyRecord[]> => db.select().from(apiKeys).where(ownedBy(owner))

/** How many keys the user or the team has that parley.yaml does not manage. */
export async function countKeysOf({ db }: Store, owner: string): Promise<number> {
  return db.$count(apiKeys, and(ownedBy(owner), eq(apiKeys.managed, 'console')))
}

/** The key of this id, if it exists. */
export async function loadKey({ db }: Store, id: string): Promise<KeyRecord | undefined> {
  const [row] = await db.select().from(apiKeys).where(eq(apiKeys.id, id))
  return row
}

/** Inserts keys. Rejects with the driver's unique violation when a digest or id exists already. */
export async function insertKeys(store: Store, rows: readonly KeyRecord[]): Promise<void> {
  await inLots(rows, (lot) => store.db.insert(apiKeys).values(lot))
  for (const { id } of rows) await store.changes.publish('api_keys', id)
}

/** Writes the given fields. */
export async function updateKey(store: Store, id: string, fields: Partial<KeyRecord>): Promise<void> {
  await store.db
    .update(apiKeys)
    .set({ ...fields, id })
    .where(eq(apiKeys.id, id))
  await store.changes.publish('api_keys', id)
}

/** Frees the secrets of these keys, to be given to others in the same transaction; these keys are unusable until they get new ones. */
export async function freeDigests({ db }: Store, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  // No SHA-256 looks like this.
  await inLots(ids, (lot) =>
    db
      .update(apiKeys)
      .set({ digest: sql`'free ' || ${apiKeys.id}` })
      .where(inArray(apiKeys.id, lot)),
  )
}

/** Deletes the key, if it exists. */
export async function deleteKey(store: Store, id: string): Promise<void> {
  await store.db.delete(apiKeys).where(eq(apiKeys.id, id))
  await store.changes.publish('api_keys', id)
}

/** Writes when and from where keys were last used, in one statement; never moves a time back. Not published: mirrors read it with their poll. */
export async function touchKeys({ db }: Store, seen: readonly (readonly [id: string, at: Date, from: string | null])[]): Promise<void> {
  if (seen.length === 0) return
  const values = seen.map(([id, at, from]) => sql`(${id}::text, ${at.toISOString()}::timestamptz, ${from}::text)`)
  await db.execute(sql`
    update ${apiKeys} set last_used_at = seen.at, last_used_from = coalesce(seen.place, last_used_from)
    from (values ${sql.join(values, sql`, `)}) as seen(id, at, place)
    where ${apiKeys.id} = seen.id and coalesce(${apiKeys.lastUsedAt} < seen.at, true)`)
}
