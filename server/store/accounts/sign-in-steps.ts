/** Rows of sign-ins that still need the second factor, by the digest of their token. */
import { and, eq, gt, lt, sql } from 'drizzle-orm'
import { signInSteps } from '#db/people'
import type { Store } from '#store/engine/store'

/** A row. */
export type StepRecord = typeof signInSteps.$inferSelect

/** Inserts a step. */
export async function insertStep({ db }: Store, row: StepRecord): Promise<void> {
  await db.insert(signInSteps).values(row)
}

/** The step with this digest, unless expired at this time. */
export async function findStep({ db }: Store, digest: string, now: Date): Promise<StepRecord | undefined> {
  const [row] = await db
    .select()
    .from(signInSteps)
    .where(and(eq(signInSteps.digest, digest), gt(signInSteps.expiresAt, now)))
  return row
}

/** Counts an attempt before it is checked: false when `most` were counted, or the step is gone. */
export async function countTry({ db }: Store, digest: string, most: number): Promise<boolean> {
  const counted = await db
    .update(signInSteps)
    .set({ tries: sql`${signInSteps.tries} + 1` })
    .where(and(eq(signInSteps.digest, digest), lt(signInSteps.tries, most)))
    .returning({ digest: signInSteps.digest })
  return counted.length > 0
}

/** Ends the step: true for only one of several concurrent calls. */
export async function takeStepRow({ db }: Store, digest: string): Promise<boolean> {
  const gone = await db.delete(signInSteps).where(eq(signInSteps.digest, digest)).returning({ digest: signInSteps.digest })
  return gone.length > 0
}

/** Ends every step of a user. */
export async function deleteStepsOf({ db }: Store, userId: string): Promise<void> {
  await db.delete(signInSteps).where(eq(signInSteps.userId, userId))
}

/** Deletes all users' steps. */
export async function deleteEveryStep({ db }: Store): Promise<void> {
  await db.delete(signInSteps)
}

/** Deletes expired steps. */
export async function deleteStaleSteps({ db }: Store, now: Date): Promise<void> {
  await db.delete(signInSteps).where(lt(signInSteps.expiresAt, now))
}
