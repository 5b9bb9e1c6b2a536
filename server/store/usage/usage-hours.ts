/**
 * Maintains the sums of past hours. Writing usage rows marks their hours; an hour without a mark has exact sums, and for a marked
 * hour queries read the rows. So summing may run late or repeatedly without changing any result.
 *
 * Where old usage rows have been dropped, hours before `keptFrom` have only their sums: usage that arrives later for such an hour is
 * added as separate sums, and its rows are deleted at once.
 */
import { sql } from 'drizzle-orm'
import { returned } from '#store/engine/rows'
import type { Db, Store } from '#store/engine/store'
import { addedUp, factsOfRow, measureColumns, sumColumns } from './usage-facts.ts'

/** The setting with the time since which all usage rows exist; absent = always. */
export const keptFrom = 'usageRowsKeptFrom'
/** That setting as a timestamp; `-infinity` when absent. */
export const keptFromInstant = sql`coalesce((select (value #>> '{}')::timestamptz from settings where name = ${keptFrom}), '-infinity')`

/** Hours per transaction. */
const most = 24

/** Lets one instance at a time sum or drop, until the transaction ends. The number is used for no other lock. */
export async function lockUsage(tx: Db): Promise<void> {
  await tx.execute(sql`set local statement_timeout = '60s'`)
  await withoutCompiler(tx)
  await tx.execute(sql`select pg_advisory_xact_lock(727539300)`)
}

/** Turns JIT off until the transaction ends: compiling these statements takes seconds, running them milliseconds. */
export async function withoutCompiler(tx: Db): Promise<void> {
  await tx.execute(sql`set local jit = off`)
}

/** Sums the marked hours that began before `until`, oldest first, at most 24; resolves to how many. */
export async function addUpHours({ db }: Store, until: Date): Promise<number> {
  return db.transaction(async (tx) => {
    await lockUsage(tx)
    // Deletes the marks first: rows inserted afterwards mark their hour again, and it is summed once more.
    const marked = await tx.execute(sql`
      with stale as (select distinct hour from usage_marks where hour < ${until.toISOString()}::timestamptz order by hour limit ${most}),
      gone as (delete from usage_marks where hour in (select hour from stale))
      select hour::text as hour, hour < ${keptFromInstant} as late from stale`)
    const hours = returned<{ hour: string; late: boolean }>(marked)
    for (const { hour, late } of hours) await (late ? addSums(tx, hour) : replaceSums(tx, hour))
    return hours.length
  })
}

const within = (hour: string) => sql`at >= ${hour}::timestamptz and at < ${hour}::timestamptz + interval '1 hour'`

async function replaceSums(tx: Db, hour: string): Promise<void> {
  await tx.execute(sql`delete from usage_hours where hour = ${hour}::timestamptz`)
  await tx.execute(sql`with ${addedUp(sql`select at, ${factsOfRow} from logs where ${within(hour)}`, dimensions)} ${inserted(hour)}`)
}

async function addSums(tx: Db, hour: string): Promise<void> {
  await tx.execute(sql`
    with late as (delete from logs where ${within(hour)} returning *),
    ${addedUp(sql`select at, ${factsOfRow} from late`, dimensions)} ${inserted(hour)}`)
}

const dimensions = [sql`user_id`, sql`key_id`, sql`"group"`, sql`model`, sql`channel`]
const inserted = (hour: string) => sql`
  insert into usage_hours (hour, ${sumColumns})
  select ${hour}::timestamptz, k0, k1, key, k2, k3, k4, ${measureColumns} from added`

/** Deletes duplicate marks. The current hour collects them. */
export async function thinMarks({ db }: Store): Promise<void> {
  await db.transaction(async (tx) => {
    await lockUsage(tx)
    await tx.execute(sql`
      with newest as (select hour, max(id) as id from usage_marks group by hour)
      delete from usage_marks using newest where usage_marks.hour = newest.hour and usage_marks.id < newest.id`)
  })
}
