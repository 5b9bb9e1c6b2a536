/** Rows of plans, and the plans that users and teams have: a copy of the terms as they were given. */
import { asc, eq, inArray, or, sql } from 'drizzle-orm'
import { users } from '#db/accounts'
import { plans } from '#db/selling'
import { teams } from '#db/teams'
import type { HeldPlan } from '#shared/console/selling'
import { isTeamId } from '#shared/ids'
import type { Store } from '#store/engine/store'

/** A row. */
export type PlanRecord = typeof plans.$inferSelect

/** Every plan, or those with these ids, by name. */
export const loadPlans = ({ db }: Store, ids?: readonly string[]): Promise<PlanRecord[]> =>
  db
    .select()
    .from(plans)
    .where(ids && inArray(plans.id, [...ids]))
    .orderBy(asc(plans.name))

/** The plan of this id or, where none has it, of this name. */
export async function findPlan({ db }: Store, word: string): Promise<PlanRecord | undefined> {
  const rows = await db
    .select()
    .from(plans)
    .where(or(eq(plans.id, word), eq(plans.name, word)))
  return rows.find(({ id }) => id === word) ?? rows[0]
}

/** Rejects with the driver's unique violation when the name is taken. */
export async function insertPlan({ db }: Store, row: PlanRecord): Promise<void> {
  await db.insert(plans).values(row)
}

/** Writes the given fields. */
export async function updatePlan({ db }: Store, id: string, fields: Partial<PlanRecord>): Promise<void> {
  await db
    .update(plans)
    .set({ ...fields, id })
    .where(eq(plans.id, id))
}

/** Rejects with the driver's foreign key violation while there are codes that give it. */
export async function deletePlan({ db }: Store, id: string): Promise<void> {
  await db.delete(plans).where(eq(plans.id, id))
}

/** The plan that this user or team has or had last, locked until the transaction ends; undefined when there is no such row. */
export async function lockHeldPlan({ db }: Store, payerId: string): Promise<{ plan: HeldPlan | null } | undefined> {
  const table = isTeamId(payerId) ? teams : users
  const [row] = await db.select({ plan: table.plan }).from(table).where(eq(table.id, payerId)).for('update')
  return row
}

/** Writes the plan of a user or team; null removes it. */
export async function setHeldPlan(store: Store, payerId: string, plan: HeldPlan | null): Promise<void> {
  if (isTeamId(payerId)) await store.db.update(teams).set({ plan }).where(eq(teams.id, payerId))
  else await store.db.update(users).set({ plan }).where(eq(users.id, payerId))
  await store.changes.publish(isTeamId(payerId) ? 'teams' : 'users', payerId)
}

/** By plan: how many users and teams have it at this instant. */
export async function countHolders({ db }: Store, at: Date): Promise<Map<string, number>> {
  const holders = sql`select plan from ${users} union all select plan from ${teams}`
  const rows = await db
    .select({ id: sql<string>`held.plan ->> 'id'`, count: sql`count(*)`.mapWith(Number) })
    .from(sql`(${holders}) as held`)
    .where(
      sql`(held.plan ->> 'from')::timestamptz <= ${at.toISOString()}::timestamptz and (held.plan ->> 'until')::timestamptz > ${at.toISOString()}::timestamptz`,
    )
    .groupBy(sql`held.plan ->> 'id'`)
  return new Map(rows.map(({ id, count }) => [id, count]))
}
