/** Rows of identities at providers. */
import { and, eq } from 'drizzle-orm'
import { identities } from '#db/accounts'
import type { Store } from '#store/engine/store'

/** A row. */
export type IdentityRecord = typeof identities.$inferSelect

const isOf = (issuer: string, subject: string) => and(eq(identities.issuer, issuer), eq(identities.subject, subject))

/** The identity with this issuer and subject, if it is known. */
export async function findIdentity({ db }: Store, issuer: string, subject: string): Promise<IdentityRecord | undefined> {
  const [row] = await db.select().from(identities).where(isOf(issuer, subject))
  return row
}

/** Rejects with the driver's unique violation when it belongs to someone already. */
export async function insertIdentity({ db }: Store, row: IdentityRecord): Promise<void> {
  await db.insert(identities).values(row)
}

/** Records a sign-in and the provider's current name for the person. */
export async function touchIdentity({ db }: Store, id: string, seen: { usedAt: Date; label: string | null }): Promise<void> {
  await db.update(identities).set(seen).where(eq(identities.id, id))
}

/** The identities of a user, oldest first. */
export const loadIdentitiesOf = ({ db }: Store, userId: string): Promise<IdentityRecord[]> =>
  db.select().from(identities).where(eq(identities.userId, userId)).orderBy(identities.createdAt)

/** False when the user has no such identity. */
export async function deleteIdentity({ db }: Store, userId: string, id: string): Promise<boolean> {
  const gone = await db
    .delete(identities)
    .where(and(eq(identities.userId, userId), eq(identities.id, id)))
    .returning({ id: identities.id })
  return gone.length > 0
}
