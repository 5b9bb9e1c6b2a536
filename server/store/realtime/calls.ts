/** Rows of calls that upstreams hold. */
import { and, desc, eq, gt, inArray, isNull, lte } from 'drizzle-orm'
import { realtimeCalls } from '#db/realtime'
import type { Store } from '#store/engine/store'

/** A row. */
export type CallRecord = typeof realtimeCalls.$inferSelect

/** Inserts the row; false when there is one with this id. */
export async function insertCall({ db }: Store, row: CallRecord): Promise<boolean> {
  const rows = await db.insert(realtimeCalls).values(row).onConflictDoNothing().returning({ id: realtimeCalls.id })
  return rows.length > 0
}

/** The call of this id, unless it has expired at `now`. */
export async function findCall({ db }: Store, id: string, now: Date): Promise<CallRecord | undefined> {
  const [row] = await db
    .select()
    .from(realtimeCalls)
    .where(and(eq(realtimeCalls.id, id), gt(realtimeCalls.expiresAt, now)))
  return row
}

/** Calls that have not ended, of the tenant if given, newest first. */
export function openCalls({ db }: Store, { tenant, most, now }: { tenant?: string; most: number; now: Date }): Promise<CallRecord[]> {
  const ofTenant = tenant === undefined ? undefined : eq(realtimeCalls.tenant, tenant)
  return db
    .select()
    .from(realtimeCalls)
    .where(and(ofTenant, isNull(realtimeCalls.endedAt), gt(realtimeCalls.expiresAt, now)))
    .orderBy(desc(realtimeCalls.createdAt))
    .limit(most)
}

/** It has ended. */
export async function endCall({ db }: Store, id: string, endedAt: Date): Promise<void> {
  await db
    .update(realtimeCalls)
    .set({ endedAt })
    .where(and(eq(realtimeCalls.id, id), isNull(realtimeCalls.endedAt)))
}

/** Deletes what has expired at `now`; resolves to the number of calls. */
export async function sweepCalls({ db }: Store, now: Date): Promise<number> {
  const late = db.select({ id: realtimeCalls.id }).from(realtimeCalls).where(lte(realtimeCalls.expiresAt, now)).limit(1000)
  const gone = await db.delete(realtimeCalls).where(inArray(realtimeCalls.id, late)).returning({ id: realtimeCalls.id })
  return gone.length
}
