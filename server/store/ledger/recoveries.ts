/**
 * A database that has lost commits, such as a promoted asynchronous standby: what an instance had taken is free again there, and what
 * it had charged is missing from the books. Until every instance of that time has called and written back what was lost, no instance
 * takes anything. The functions `books_may_take` and `books_recover` of the migrations decide; a promotion alone begins a recovery.
 */
import { eq, sql } from 'drizzle-orm'
import { instances } from '#db/schema'
import { sqlState } from '#store/engine/sql-state'
import type { Store } from '#store/engine/store'

/** The call had no effect: leases cannot be taken now. */
export class TakesPaused extends Error {
  readonly code = pausedState
}
const pausedState = 'PF003'

/** True for the rejection of a call that asked for leases during a recovery. */
export const areTakesPaused = (thrown: unknown): boolean => sqlState(thrown) === pausedState

/** This instance has found that the database lost commits, and writes them back now: no instance takes meanwhile. */
export async function beginTelling({ db }: Pick<Store, 'db'>, instance: bigint): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.execute(sql`select books_recover()`)
    await tx.update(instances).set({ telling: true, seen: sql`clock_timestamp()` }).where(eq(instances.id, instance))
  })
}

/** This instance has written everything back. */
export async function endTelling({ db }: Pick<Store, 'db'>, instance: bigint): Promise<void> {
  await db.update(instances).set({ telling: false }).where(eq(instances.id, instance))
}
