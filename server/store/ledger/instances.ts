/** Instances (process starts) in the database; they own their leases until they are closed. */
import { and, eq, gt, inArray, sql } from 'drizzle-orm'
import { accounts, instances, leases } from '#db/schema'
import type { Store } from '#store/engine/store'

/** Registers an instance without leases; resolves to its id, which is new unless the given one was never used. */
export async function registerInstance({ db }: Pick<Store, 'db'>, instance: { id?: bigint; folder: string }): Promise<bigint> {
  const [row] = await db.insert(instances).values(instance).returning({ id: instances.id })
  if (!row) throw new Error('the database returned no row for an insert')
  return row.id
}

/** Whether an instance may take leases. */
export type InstanceState = 'live' | 'closed'

/** Undefined when the instance is unknown. */
export async function instanceState({ db }: Pick<Store, 'db'>, instance: bigint): Promise<InstanceState | undefined> {
  const [row] = await db.select({ state: instances.state }).from(instances).where(eq(instances.id, instance))
  return row?.state
}

/** Whether an instance may take leases, and the number of its last call; undefined when it is unknown. */
export async function lastCallOf({ db }: Pick<Store, 'db'>, instance: bigint): Promise<{ state: InstanceState; seq: bigint } | undefined> {
  const [row] = await db.select({ state: instances.state, seq: instances.seq }).from(instances).where(eq(instances.id, instance))
  return row
}

/** Inserts a lost instance again, as closed, so that its journal can be written. */
export async function restoreInstance({ db }: Pick<Store, 'db'>, instance: bigint, folder: string): Promise<void> {
  await db.insert(instances).values({ id: instance, folder, state: 'closed' }).onConflictDoNothing()
}

/** A call number higher than any earlier run of this instance can have used; undefined when the instance is unknown. */
export async function numberForReplay({ db }: Pick<Store, 'db'>, instance: bigint): Promise<bigint | undefined> {
  const beyond = 1_000_000n
  const [row] = await db
    .update(instances)
    .set({ seq: sql`${instances.seq} + ${beyond}::bigint` })
    .where(eq(instances.id, instance))
    .returning({ seq: instances.seq })
  return row?.seq
}

/**
 * Returns all leases of the instance and closes it for good; false when it is closed already, or was seen within `unseenMs`. The
 * caller must know that nothing it spent is still unwritten: its journal has been replayed, or the loss is accepted.
 */
export function closeInstance({ db }: Pick<Store, 'db'>, instance: bigint, unseenMs = 0): Promise<boolean> {
  return db.transaction(async (tx) => {
    const [gone] = await tx
      .update(instances)
      .set({ state: 'closed' })
      .where(and(eq(instances.id, instance), eq(instances.state, 'live'), unseenFor(unseenMs)))
      .returning({ id: instances.id })
    if (!gone) return false
    const mine = tx.select({ id: leases.accountId }).from(leases).where(eq(leases.instance, instance))
    await tx.select({ id: accounts.id }).from(accounts).where(inArray(accounts.id, mine)).orderBy(accounts.id).for('no key update')
    await tx.execute(sql`
      with gone as (delete from leases where instance = ${instance} returning account_id, amount)
      update accounts set free = accounts.free + gone.amount from gone where accounts.id = gone.account_id`)
    return true
  })
}

/** Instances that are open but have not been seen for `unseenMs`. */
export async function missingInstances({ db }: Pick<Store, 'db'>, unseenMs: number): Promise<bigint[]> {
  const rows = await db
    .select({ id: instances.id })
    .from(instances)
    .where(and(eq(instances.state, 'live'), unseenFor(unseenMs)))
  return rows.map(({ id }) => id)
}

const unseenFor = (ms: number) =>
  ms === 0 ? sql`true` : gt(sql`clock_timestamp() - ${sql.param(`${ms} milliseconds`)}::interval`, instances.seen)
