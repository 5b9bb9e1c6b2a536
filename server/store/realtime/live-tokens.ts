/** Use counts of short-lived keys of live sessions. */
import { and, eq, gt, inArray, lt, lte, sql } from 'drizzle-orm'
import { liveTokens } from '#db/realtime'
import type { Store } from '#store/engine/store'

/** Uses the key once more; false when it was used `most` times already. Exact under concurrency, across instances. */
async function takeUse({ db }: Store, id: string, most: number, expiresAt: Date): Promise<boolean> {
  const rows = await db
    .insert(liveTokens)
    .values({ id, used: 1, expiresAt })
    .onConflictDoUpdate({ target: liveTokens.id, set: { used: sql`${liveTokens.used} + 1` }, setWhere: lt(liveTokens.used, most) })
    .returning({ id: liveTokens.id })
  return rows.length > 0
}

/** Returns a use that failed. */
async function giveUseBack({ db }: Store, id: string): Promise<void> {
  await db
    .update(liveTokens)
    .set({ used: sql`${liveTokens.used} - 1` })
    .where(and(eq(liveTokens.id, id), gt(liveTokens.used, 0)))
}

/** Deletes those expired at `now`; resolves to their number. */
async function sweepUses({ db }: Store, now: Date): Promise<number> {
  const late = db.select({ id: liveTokens.id }).from(liveTokens).where(lte(liveTokens.expiresAt, now)).limit(1000)
  const gone = await db.delete(liveTokens).where(inArray(liveTokens.id, late)).returning({ id: liveTokens.id })
  return gone.length
}

/** How often such keys were used, for all instances. Times in milliseconds since the epoch; `sweep` runs on a schedule. */
export const createTokenUses = (store: Store, clock: { now(): number }) => ({
  take: (id: string, most: number, until: number) => takeUse(store, id, most, new Date(until)),
  giveBack: (id: string) => giveUseBack(store, id),
  sweep: () => sweepUses(store, new Date(clock.now())),
})
