/** Rows of conversations that users store on the server, and of shared copies. */
import { and, eq, gt, lte, sql } from 'drizzle-orm'
import { keptConversations, sharedConversations } from '#db/conversations'
import type { Store } from '#store/engine/store'

/** A stored conversation. */
export type KeptRecord = typeof keptConversations.$inferSelect
/** A shared copy. */
export type ShareRecord = typeof sharedConversations.$inferSelect

/** The stored conversations of a user, without their text. */
export const loadKept = ({ db }: Store, userId: string): Promise<Omit<KeptRecord, 'sealed'>[]> => {
  const { userId: owner, id, changedAt, bytes } = keptConversations
  return db.select({ userId: owner, id, changedAt, bytes }).from(keptConversations).where(eq(owner, userId))
}

/** The user's stored conversation of this id, if any. */
export async function findKept({ db }: Store, userId: string, id: string): Promise<KeptRecord | undefined> {
  const [row] = await db.select().from(keptConversations).where(keptOf(userId, id))
  return row
}

/** Writes a conversation unless a newer version is stored under its id. */
export async function putKept({ db }: Store, row: KeptRecord): Promise<void> {
  const { userId, id, changedAt } = keptConversations
  await db
    .insert(keptConversations)
    .values(row)
    .onConflictDoUpdate({ target: [userId, id], set: row, setWhere: lte(changedAt, row.changedAt) })
}

/** Deletes a stored conversation, if it exists. */
export async function deleteKept({ db }: Store, userId: string, id: string): Promise<void> {
  await db.delete(keptConversations).where(keptOf(userId, id))
}

/** Inserts a copy. Rejects with the driver's unique violation when the id exists. */
export async function insertShare({ db }: Store, row: ShareRecord): Promise<void> {
  await db.insert(sharedConversations).values(row)
}

/** The copies of a user that have not expired at `now`, without their text. */
export const loadShares = ({ db }: Store, user: string, now: Date): Promise<Omit<ShareRecord, 'sealed'>[]> => {
  const { id, userId, title, createdAt, expiresAt, bytes } = sharedConversations
  return db
    .select({ id, userId, title, createdAt, expiresAt, bytes })
    .from(sharedConversations)
    .where(and(eq(userId, user), gt(expiresAt, now)))
}

/** The copy of this id, unless expired at `now`. */
export async function findShare({ db }: Store, id: string, now: Date): Promise<ShareRecord | undefined> {
  const [row] = await db
    .select()
    .from(sharedConversations)
    .where(and(eq(sharedConversations.id, id), gt(sharedConversations.expiresAt, now)))
  return row
}

/** Deletes a copy of the user, if there is one of this id. */
export async function deleteShare({ db }: Store, userId: string, id: string): Promise<void> {
  await db.delete(sharedConversations).where(and(eq(sharedConversations.id, id), eq(sharedConversations.userId, userId)))
}

/** Deletes the copies that have expired at `now`. */
export async function sweepShares({ db }: Store, now: Date): Promise<void> {
  await db.delete(sharedConversations).where(lte(sharedConversations.expiresAt, now))
}

/** How many conversations a user has here, copies that have not expired at `now` included, and their bytes. Reads no text. */
export async function sumConversations({ db }: Store, userId: string, now: Date): Promise<{ count: number; bytes: number }> {
  const sum = { count: sql`count(*)`.mapWith(Number), bytes: sql`coalesce(sum(bytes), 0)`.mapWith(Number) }
  const [kept] = await db.select(sum).from(keptConversations).where(eq(keptConversations.userId, userId))
  const [shared] = await db
    .select(sum)
    .from(sharedConversations)
    .where(and(eq(sharedConversations.userId, userId), gt(sharedConversations.expiresAt, now)))
  return { count: (kept?.count ?? 0) + (shared?.count ?? 0), bytes: (kept?.bytes ?? 0) + (shared?.bytes ?? 0) }
}

const keptOf = (userId: string, id: string) => and(eq(keptConversations.userId, userId), eq(keptConversations.id, id))
