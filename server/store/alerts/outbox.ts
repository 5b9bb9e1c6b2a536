/** The outbox of alerts: an alert and its deliveries are written in one transaction; instances claim due deliveries. */
import { and, desc, eq, lt, or, sql } from 'drizzle-orm'
import { alertDeliveries, alertHooks, alerts } from '#db/alerts'
import type { AlertData, AlertKind, DeliveryState } from '#shared/console/alert'
import { atomically } from '#store/engine/atomic'
import { returned } from '#store/engine/rows'
import type { Store } from '#store/engine/store'

/** An alert to write. */
export interface NewAlert {
  id: string
  at: Date
  kind: AlertKind
  /** Kind, subject, threshold and window. */
  once: string
  data: AlertData
}

/** Writes alerts that were not written before, each with a delivery to every enabled hook that wants its kind; resolves to how many. */
export function writeAlerts(store: Store, all: readonly NewAlert[]): Promise<number> {
  if (all.length === 0) return Promise.resolve(0)
  return atomically(store, async ({ db }) => {
    const made = await db
      .insert(alerts)
      .values([...all])
      .onConflictDoNothing({ target: alerts.once })
      .returning({ id: alerts.id, kind: alerts.kind, at: alerts.at })
    for (const { id, kind, at } of made) {
      await db.execute(sql`
        insert into alert_deliveries (id, alert_id, hook_id, due_at)
        select ${id} || '.' || id, ${id}, id, ${at.toISOString()}::timestamptz from alert_hooks
        where enabled and (kinds is null or ${kind}::text = any(kinds))`)
    }
    return made.length
  })
}

/** Which of these were written before. */
export async function alertsWritten({ db }: Store, all: readonly string[]): Promise<Set<string>> {
  if (all.length === 0) return new Set()
  const rows = await db.execute(
    sql`select once from alerts where once in (${sql.join(
      all.map((one) => sql`${one}`),
      sql`, `,
    )})`,
  )
  return new Set(returned<{ once: string }>(rows).map(({ once }) => once))
}

/** A claimed delivery. */
export interface TakenDelivery {
  id: string
  alertId: string
  hookId: string
  tries: number
  at: Date
  kind: AlertKind
  data: AlertData
}

/** Claims deliveries due at `now`, for `forMs`: a claimant that reports no result by then is presumed dead, and another tries. */
export async function takeDue({ db }: Store, { now, forMs, most }: { now: Date; forMs: number; most: number }): Promise<TakenDelivery[]> {
  const until = new Date(now.getTime() + forMs).toISOString()
  const rows = returned<{
    id: string
    alert_id: string
    hook_id: string
    tries: number
    at: string | Date
    kind: AlertKind
    data: AlertData
  }>(
    await db.execute(sql`
      with due as (
        select id from alert_deliveries where state = 'waiting' and due_at <= ${now.toISOString()}::timestamptz
        order by due_at limit ${most} for update skip locked
      ), taken as (
        update alert_deliveries as d set due_at = ${until}::timestamptz, tries = d.tries + 1 from due where d.id = due.id
        returning d.id, d.alert_id, d.hook_id, d.tries
      )
      select taken.*, a.at, a.kind, a.data from taken join alerts as a on a.id = taken.alert_id order by a.at, taken.id`),
  )
  return rows.map(({ alert_id, hook_id, at, data, ...row }) => ({
    ...row,
    alertId: alert_id,
    hookId: hook_id,
    at: new Date(at),
    data: typeof data === 'string' ? (JSON.parse(data) as AlertData) : data,
  }))
}

/** Records the result of a delivery. */
export const endDelivery = (
  { db }: Store,
  id: string,
  fields: { state: DeliveryState; answer: string; dueAt?: Date; sentAt?: Date },
): Promise<unknown> => db.update(alertDeliveries).set(fields).where(eq(alertDeliveries.id, id))

/** The audited fields of a delivery. */
export async function loadDelivery({ db }: Store, id: string): Promise<{ state: DeliveryState } | undefined> {
  const [row] = await db.select({ state: alertDeliveries.state }).from(alertDeliveries).where(eq(alertDeliveries.id, id))
  return row
}

/** Restarts a delivery that was given up; resolves to false where there is none. */
export async function reviveDelivery({ db }: Store, id: string, now: Date): Promise<boolean> {
  const rows = await db
    .update(alertDeliveries)
    .set({ state: 'waiting', tries: 0, dueAt: now })
    .where(and(eq(alertDeliveries.id, id), eq(alertDeliveries.state, 'dead')))
    .returning({ id: alertDeliveries.id })
  return rows.length > 0
}

/** A page of deliveries, newest first. `after` is the id of a delivery; an unknown one gives an empty page. */
export async function pageDeliveries({ db }: Store, { limit, after, state }: { limit: number; after?: string; state?: DeliveryState }) {
  const at =
    after === undefined ? undefined : sql`(select a.at from alerts a join alert_deliveries d on d.alert_id = a.id where d.id = ${after})`
  return db
    .select({ delivery: alertDeliveries, alert: alerts, hook: { id: alertHooks.id, name: alertHooks.name, form: alertHooks.form } })
    .from(alertDeliveries)
    .innerJoin(alerts, eq(alerts.id, alertDeliveries.alertId))
    .innerJoin(alertHooks, eq(alertHooks.id, alertDeliveries.hookId))
    .where(
      and(
        state === undefined ? undefined : eq(alertDeliveries.state, state),
        at === undefined ? undefined : or(lt(alerts.at, at), and(eq(alerts.at, at), lt(alertDeliveries.id, after ?? ''))),
      ),
    )
    .orderBy(desc(alerts.at), desc(alertDeliveries.id))
    .limit(limit)
}

/** Deletes alerts older than `before`, with their deliveries. */
export async function deleteAlertsBefore({ db }: Store, before: Date): Promise<void> {
  await db.delete(alerts).where(lt(alerts.at, before))
}
