/**
 * Keeps the sums of past hours. Writing usage rows marks their hours; an hour without a mark has sums that are exact, and whoever
 * asks reads the rows themselves where there is a mark. So sums may come late, twice or again, and never change an answer.
 *
 * Where old usage rows have been dropped, hours before `keptFrom` have only their sums left: what comes late to such an hour is
 * added as sums of its own, and its rows go at once.
 */
import { sql } from 'drizzle-orm'
import { returned } from '#store/engine/rows'
import type { Db, Store } from '#store/engine/store'
import { addedUp, factColumns, factsOfRow, measureColumns } from './usage-facts.ts'

/** The setting that says since when every usage row is there; absent: since ever. */
export const keptFrom = 'usageRowsKeptFrom'
export const keptFromInstant = sql`coalesce((select (value #>> '{}')::timestamptz from settings where name = ${keptFrom}), '-infinity')`

/** Hours in one transaction. */
const most = 24

/** One instance at a time adds up or drops. To the end of the transaction. The number is any that nothing else locks. */
export async function lockUsage(tx: Db): Promise<void> {
  await tx.execute(sql`set local statement_timeout = '60s'`)
  await withoutCompiler(tx)
  await tx.execute(sql`select pg_advisory_xact_lock(727539300)`)
}

/** Compiling these statements takes a server seconds, running them milliseconds. To the end of the transaction. */
export async function withoutCompiler(tx: Db): Promise<void> {
  await tx.execute(sql`set local jit = off`)
}

/** Adds up the hours that began before `until` and have marks, the oldest first and a day of them at most; answers how many. */
export async function addUpHours({ db }: Store, until: Date): Promise<number> {
  return db.transaction(async (tx) => {
    await lockUsage(tx)
    // Marks first: rows that come in after this leave marks that stay, and their hour is added up again.
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
  insert into usage_hours (hour, ${factColumns})
  select ${hour}::timestamptz, k0, k1, key, k2, k3, k4, ${measureColumns} from added`

/** Leaves one mark where an hour has several. Hours that are not over collect them. */
export async function thinMarks({ db }: Store): Promise<void> {
  await db.transaction(async (tx) => {
    await lockUsage(tx)
    await tx.execute(sql`
      with newest as (select hour, max(id) as id from usage_marks group by hour)
      delete from usage_marks using newest where usage_marks.hour = newest.hour and usage_marks.id < newest.id`)
  })
}
