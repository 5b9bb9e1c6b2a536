/** Rows of second factors, recovery codes and answered challenges. */
import { and, count, eq, isNull, lt } from 'drizzle-orm'
import { recoveryCodes, secondFactors, spentChallenges } from '#db/people'
import type { Store } from '#store/engine/store'

/** A row. */
export type FactorRecord = typeof secondFactors.$inferSelect

/** A confirmed factor, as the mirror keeps it. */
export type FactorOwner = Pick<FactorRecord, 'id' | 'userId'>

const owner = { id: secondFactors.id, userId: secondFactors.userId }

/** The owners of all confirmed factors. */
export const loadFactorOwners = ({ db }: Store): Promise<FactorOwner[]> =>
  db.select(owner).from(secondFactors).where(eq(secondFactors.confirmed, true))

/** The owner of this factor, if it exists and is confirmed. */
export async function loadFactorOwner({ db }: Store, id: string): Promise<FactorOwner | undefined> {
  const [row] = await db
    .select(owner)
    .from(secondFactors)
    .where(and(eq(secondFactors.id, id), eq(secondFactors.confirmed, true)))
  return row
}

/** The factors of a user, oldest first, including unconfirmed ones. */
export const loadFactorsOf = ({ db }: Store, userId: string): Promise<FactorRecord[]> =>
  db.select().from(secondFactors).where(eq(secondFactors.userId, userId)).orderBy(secondFactors.createdAt)

/** The passkey with this id at its authenticator. */
export async function findPasskey({ db }: Store, credential: string): Promise<FactorRecord | undefined> {
  const [row] = await db.select().from(secondFactors).where(eq(secondFactors.credential, credential))
  return row
}

/** Inserts a factor. Rejects with the driver's unique violation for an already registered passkey. */
export async function insertFactor(store: Store, row: FactorRecord): Promise<void> {
  await store.db.insert(secondFactors).values(row)
  await store.changes.publish('second_factors', row.id)
}

/** Confirms an app, whose first code was that of this time step. False when it is already confirmed, or gone. */
export async function confirmFactor(store: Store, id: string, counter: number, usedAt: Date): Promise<boolean> {
  const done = await store.db
    .update(secondFactors)
    .set({ confirmed: true, counter, usedAt })
    .where(and(eq(secondFactors.id, id), eq(secondFactors.confirmed, false)))
    .returning(owner)
  await store.changes.publish('second_factors', id)
  return done.length > 0
}

/** Consumes a code of an app: false when one of this time step or a later one was consumed, on any instance. */
export async function takeStep({ db }: Store, id: string, step: number, usedAt: Date): Promise<boolean> {
  const taken = await db
    .update(secondFactors)
    .set({ counter: step, usedAt })
    .where(and(eq(secondFactors.id, id), lt(secondFactors.counter, step)))
    .returning(owner)
  return taken.length > 0
}

/** Records a use of a passkey. */
export async function touchPasskey({ db }: Store, id: string, counter: number, usedAt: Date): Promise<void> {
  await db.update(secondFactors).set({ counter, usedAt }).where(eq(secondFactors.id, id))
}

/** Removes factors of a user: this one, the unconfirmed ones, or all. Resolves to the number removed. */
export async function deleteFactors(store: Store, userId: string, which: { id: string } | 'unconfirmed' | 'all'): Promise<number> {
  const those = which === 'all' ? undefined : which === 'unconfirmed' ? eq(secondFactors.confirmed, false) : eq(secondFactors.id, which.id)
  const gone = await store.db
    .delete(secondFactors)
    .where(and(eq(secondFactors.userId, userId), those))
    .returning(owner)
  for (const { id } of gone) await store.changes.publish('second_factors', id)
  return gone.length
}

/** Replaces all of the user's codes by these. */
export async function replaceRecoveryCodes({ db }: Store, userId: string, digests: readonly string[], createdAt: Date): Promise<void> {
  await db.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId))
  if (digests.length > 0) await db.insert(recoveryCodes).values(digests.map((digest) => ({ userId, digest, createdAt })))
}

/** How many codes a user has left. */
export async function countRecoveryCodes({ db }: Store, userId: string): Promise<number> {
  const [row] = await db
    .select({ left: count() })
    .from(recoveryCodes)
    .where(and(eq(recoveryCodes.userId, userId), isNull(recoveryCodes.usedAt)))
  return row?.left ?? 0
}

/** Consumes a code: true for only one of several concurrent calls. */
export async function takeRecoveryCode({ db }: Store, userId: string, digest: string, usedAt: Date): Promise<boolean> {
  const taken = await db
    .update(recoveryCodes)
    .set({ usedAt })
    .where(and(eq(recoveryCodes.userId, userId), eq(recoveryCodes.digest, digest), isNull(recoveryCodes.usedAt)))
    .returning({ digest: recoveryCodes.digest })
  return taken.length > 0
}

/** Marks a challenge as answered: false when it already was. */
export async function spendChallenge({ db }: Store, digest: string, expiresAt: Date): Promise<boolean> {
  const fresh = await db
    .insert(spentChallenges)
    .values({ digest, expiresAt })
    .onConflictDoNothing()
    .returning({ digest: spentChallenges.digest })
  return fresh.length > 0
}

/** Deletes expired challenges. */
export async function forgetChallenges({ db }: Store, now: Date): Promise<void> {
  await db.delete(spentChallenges).where(lt(spentChallenges.expiresAt, now))
}
