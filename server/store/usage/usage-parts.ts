/**
 * Sums of open hours. Every mark names the rows that were written with it; upkeep adds those up, a few marks at a time, into
 * `usage_parts`, and removes the names. So a query of such an hour reads its parts and the rows of the last minute, however many the hour
 * has. A past hour is added up from its parts.
 *
 * This holds for hours since the one in `usage_parts_since`, which follows the time a few hours behind, and not for hours in which a row
 * was deleted (`apart`): until they are added up again, only their rows are exact.
 */
import { type SQL, sql } from 'drizzle-orm'
import { returned } from '#store/engine/rows'
import type { Db } from '#store/engine/store'
import { addedUp, dimensions, factsOfRow, factsOfSum, measureColumns, sumColumns } from './usage-facts.ts'

/** The hour since which parts and marks cover every row. */
export const partsSince = sql`coalesce((select hour from usage_parts_since), 'infinity')`

/** Marks in one statement; a mark names the rows of one call. */
const mostMarks = 500

const instant = (hour: string) => sql`${hour}::timestamptz`

/** The usage rows that these marks (`ats`, `ids`) name, as facts; `wanted` narrows them. */
export const namedRows = (marks: SQL, wanted: SQL = sql``): SQL => sql`
  select l.at, ${factsOfRow} from (${marks}) as marks, unnest(marks.ats, marks.ids) as named(at, id), lateral (
    select * from logs where logs.at = named.at and logs.request_id = named.id ${wanted} offset 0
  ) as l`

/** Writes the sums of `facts` into one of the two tables as those of this hour. */
const into = (table: SQL, hour: string) => sql`
  insert into ${table} (hour, ${sumColumns})
  select ${instant(hour)}, k0, nullif(k1, ''), k2, key, k3, k4, k5, ${measureColumns} from added`

/** The hours whose marks name rows, or that need to be added up again, oldest first. */
export async function hoursWithNames(tx: Db): Promise<string[]> {
  const rows = await tx.execute(sql`
    select distinct hour from usage_marks where (ids is not null or apart) and hour >= ${partsSince} order by hour`)
  return returned<{ hour: string | Date }>(rows).map(({ hour }) => new Date(hour).toISOString())
}

/** Brings the parts of an hour up to date with its rows. Each statement sees one moment: a row is in a sum or named, never both. */
export async function addUpNamed(tx: Db, hour: string): Promise<void> {
  const gone = await tx.execute(sql`select 1 from usage_marks where hour = ${instant(hour)} and apart limit 1`)
  if (returned(gone).length > 0) await addUpAnew(tx, hour)
  while ((await addUpSome(tx, hour)) === mostMarks);
}

/** Resolves to how many marks. */
async function addUpSome(tx: Db, hour: string): Promise<number> {
  const counted = await tx.execute(sql`
    with gone as (
      delete from usage_marks where id in (
        select id from usage_marks where hour = ${instant(hour)} and ids is not null order by id limit ${mostMarks}
      ) returning ats, ids
    ),
    taken as materialized (${namedRows(sql`select ats, ids from gone`)}),
    plain as (insert into usage_marks (hour) select ${instant(hour)} where exists (select from gone)),
    ${addedUp(sql`select * from taken`, dimensions)},
    written as (${into(sql`usage_parts`, hour)})
    select count(*)::integer as n from gone`)
  return returned<{ n: number }>(counted)[0]?.n ?? 0
}

async function addUpAnew(tx: Db, hour: string): Promise<void> {
  await tx.execute(sql`delete from usage_parts where hour = ${instant(hour)}`)
  await tx.execute(sql`
    with gone as (delete from usage_marks where hour = ${instant(hour)}),
    plain as (insert into usage_marks (hour) values (${instant(hour)})),
    taken as materialized (
      select at, ${factsOfRow} from logs where at >= ${instant(hour)} and at < ${instant(hour)} + interval '1 hour'
    ),
    ${addedUp(sql`select * from taken`, dimensions)}
    ${into(sql`usage_parts`, hour)}`)
}

/** Replaces the sums of an hour by those of its parts, which cover all its rows but those that a mark names. */
export async function sumsFromParts(tx: Db, hour: string): Promise<void> {
  await addUpNamed(tx, hour)
  await tx.execute(sql`delete from usage_marks where hour = ${instant(hour)} and ids is null and not apart`)
  await tx.execute(sql`delete from usage_hours where hour = ${instant(hour)}`)
  await tx.execute(sql`
    with ${addedUp(sql`select hour, ${factsOfSum} from usage_parts where hour = ${instant(hour)}`, dimensions)}
    ${into(sql`usage_hours`, hour)}`)
}

/** Keeps parts only for hours from this one on; earlier hours are treated as having none. */
export async function forgetParts(tx: Db, before: Date): Promise<void> {
  await tx.execute(
    sql`update usage_parts_since set hour = ${before.toISOString()}::timestamptz where hour < ${before.toISOString()}::timestamptz`,
  )
  await tx.execute(sql`delete from usage_parts where hour < ${partsSince}`)
}
