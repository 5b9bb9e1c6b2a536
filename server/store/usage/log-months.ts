/**
 * Usage rows have one partition per month (UTC), created ahead; a row without one goes to the default partition until its month is
 * created. Old months are dropped as a whole.
 */
import { sql } from 'drizzle-orm'
import { returned } from '#store/engine/rows'
import type { Store } from '#store/engine/store'
import { keptFrom, lockUsage } from './usage-hours.ts'

const ahead = 2
/**
 * While this waits for all tables behind a long report, all others queue behind it: so it gives up long before settling
 * times out, and is retried.
 */
const lockTimeout = sql`set local lock_timeout = '250ms'`

/** Creates the month of `now` and the next two, where missing. Rejects when the tables are busy; rows are stored all the same. */
export async function addMonths({ db }: Store, now: Date): Promise<void> {
  for (let month = 0; month <= ahead; month++) {
    const instant = monthStart(now, month).toISOString()
    await db.transaction(async (tx) => {
      await tx.execute(lockTimeout)
      await tx.execute(sql`select logs_add_month(${instant}::timestamptz)`)
    })
  }
}

/**
 * Drops the usage rows of every month that was over at `before`, once their hours are summed; true if there were any. Their sums and
 * the ledger's entries stay. False also when rows were written meanwhile: the next run finds them summed.
 */
export async function dropMonths({ db }: Store, before: Date): Promise<boolean> {
  const from = monthStart(before, 0)
  const old = sql`${from.toISOString()}::timestamptz`
  return db.transaction(async (tx) => {
    const months = returned<{ name: string }>(
      await tx.execute(sql`
      select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'logs'::regclass and c.relname ~ '^logs_\\d{4}_\\d\\d$' and c.relname < ${monthName(from)} order by 1`),
    )
    const strays = returned(await tx.execute(sql`select 1 from logs_default where at < ${old} limit 1`))
    if (months.length + strays.length === 0) return false
    await lockUsage(tx)
    // Locks everything at once, the parent first: writers lock the parent before a month.
    await tx.execute(lockTimeout)
    await tx.execute(sql`lock table logs in access exclusive mode`)
    if (returned(await tx.execute(sql`select 1 from usage_marks where hour < ${old} limit 1`)).length > 0) return false
    await tx.execute(sql`
      insert into settings (name, value) values (${keptFrom}, to_jsonb(${from.toISOString()}::text))
      on conflict (name) do update set value = excluded.value`)
    for (const { name } of months) await tx.execute(sql`drop table if exists ${sql.identifier(name)}`)
    await tx.execute(sql`delete from logs_default where at < ${old}`)
    return true
  })
}

/** The same time of day so many months earlier, UTC. */
export function monthsBefore(instant: Date, months: number): Date {
  const then = Temporal.Instant.fromEpochMilliseconds(instant.getTime()).toZonedDateTimeISO('UTC').subtract({ months })
  return new Date(then.epochMilliseconds)
}

/** The first instant of the month that is `later` months after that of `instant`, UTC. */
function monthStart(instant: Date, later: number): Date {
  const start = Temporal.Instant.fromEpochMilliseconds(instant.getTime()).toZonedDateTimeISO('UTC').startOfDay().with({ day: 1 })
  return new Date(start.add({ months: later }).epochMilliseconds)
}

/** The table of the month (UTC) that the instant lies in. */
export const monthName = (month: Date): string => `logs_${month.toISOString().slice(0, 7).replace('-', '_')}`
