/**
 * Rollups: `usage_hours` added up by the day, or without users and keys, or both, so that a report over months reads little. Writing
 * sums of hours marks their day; for a day with a mark reports read the hours. So rolling up may run late or repeatedly without
 * changing any result.
 */
import { type SQL, sql } from 'drizzle-orm'
import { returned } from '#store/engine/rows'
import type { Db, Store } from '#store/engine/store'
import { addedUp, factsOfSum, measureColumns, sumColumns } from './usage-facts.ts'
import { lockUsage } from './usage-hours.ts'

/** `hours`: by the hour, without users and keys. `days`: by the day (UTC). `totals`: by the day, without users and keys. */
export type RollupLevel = 'hours' | 'days' | 'totals'

/** Days per transaction. */
const most = 2

/** The start of the instant's day, UTC. */
export const utcDayOf = (instant: SQL): SQL => sql`date_trunc('day', ${instant}, 'UTC')`

/** Rolls up marked days, oldest first, at most two; resolves to how many. */
export async function rollUpDays({ db }: Store): Promise<number> {
  return db.transaction(async (tx) => {
    await lockUsage(tx)
    const marked = await tx.execute(sql`
      with stale as (select distinct day from usage_rollup_marks order by day limit ${most}),
      gone as (delete from usage_rollup_marks where day in (select day from stale))
      select day::text as day from stale`)
    const days = returned<{ day: string }>(marked)
    for (const { day } of days) await replace(tx, sql`${day}::timestamptz`)
    return days.length
  })
}

async function replace(tx: Db, day: SQL): Promise<void> {
  const within = (column: SQL) => sql`${column} >= ${day} and ${column} < ${day} + interval '24 hours'`
  await tx.execute(sql`delete from usage_rollups where level in ('hours', 'days', 'totals') and ${within(sql`start`)}`)
  const hours = sql`select hour, ${factsOfSum} from usage_hours where ${within(sql`hour`)}`
  const [user, member, key, nobody] = [sql`user_id`, sql`coalesce(member_id, '')`, sql`key_id`, sql`''`]
  const rest = [sql`"group"`, sql`model`, sql`channel`]
  const write = (level: RollupLevel, start: SQL, facts: SQL, people: readonly SQL[]) =>
    tx.execute(sql`
      with ${addedUp(facts, [start, ...people, ...rest])}
      insert into usage_rollups (level, start, ${sumColumns})
      select ${level}, k0::timestamptz, k1, nullif(k2, ''), k3, ${level === 'days' ? sql`key` : sql`null`}, k4, k5, k6, ${measureColumns} from added`)
  await write('hours', sql`at::text`, hours, [nobody, nobody, nobody])
  await write('days', sql`(${day})::text`, hours, [user, member, key])
  const rolled = sql`select start, ${factsOfSum} from usage_rollups where level = 'hours' and ${within(sql`start`)}`
  await write('totals', sql`(${day})::text`, rolled, [nobody, nobody, nobody])
}
