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
import { addedUp, dimensions, factsOfRow, measureColumns, sumColumns } from './usage-facts.ts'
import { addUpNamed, forgetParts, hoursWithNames, partsSince, sumsFromParts } from './usage-parts.ts'

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
      gone as (delete from usage_marks where hour in (select hour from stale where hour < ${partsSince}))
      select hour::text as hour, hour < ${keptFromInstant} as late, hour >= ${partsSince} as parted from stale`)
    const hours = returned<{ hour: string; late: boolean; parted: boolean }>(marked)
    for (const { hour, late, parted } of hours) await (parted ? sumsFromParts : late ? addSums : replaceSums)(tx, hour)
    return hours.length
  })
}

/** How long the parts of a past hour are kept, for late rows. */
const partsKeptMs = 3 * 3_600_000

/** Adds up the rows that marks name, for all hours open at `now`, and deletes the parts of those long past. */
export async function addUpParts({ db }: Store, now: Date): Promise<void> {
  await db.transaction(async (tx) => {
    await lockUsage(tx)
    await forgetParts(tx, new Date(Math.floor((now.getTime() - partsKeptMs) / 3_600_000) * 3_600_000))
  })
  const hours = await hoursWithNames(db)
  for (const hour of hours) {
    await db.transaction(async (tx) => {
      await lockUsage(tx)
      await addUpNamed(tx, hour)
    })
  }
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

const inserted = (hour: string) => sql`
  insert into usage_hours (hour, ${sumColumns})
  select ${hour}::timestamptz, k0, nullif(k1, ''), k2, key, k3, k4, k5, ${measureColumns} from added`

/** Deletes duplicate marks that name nothing. The current hour collects them. */
export async function thinMarks({ db }: Store): Promise<void> {
  await db.transaction(async (tx) => {
    await lockUsage(tx)
    await tx.execute(sql`
      with newest as (select hour, max(id) as id from usage_marks group by hour)
      delete from usage_marks using newest where usage_marks.hour = newest.hour and usage_marks.id < newest.id
        and (usage_marks.ids is null and not usage_marks.apart or usage_marks.hour < ${partsSince})`)
  })
}
