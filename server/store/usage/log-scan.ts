/**
 * Finds usage rows by conditions that no index has in the order of time. Frequent ones are found among the newest rows. For rare ones
 * the indexes `logs_filters` and `logs_upstream_models` tell which stretches of the table may contain them, month by month; so no query
 * reads everything.
 */
import { and, desc, getTableColumns, gte, lt, lte, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { logs } from '#db/schema'
import { returned } from '#store/engine/rows'
import type { Db, Store } from '#store/engine/store'
import { monthName } from './log-months.ts'
import { lockUsage } from './usage-hours.ts'

type Row = typeof logs.$inferSelect

/** A place in the order of rows, newest first. */
export type LogPosition = Pick<Row, 'at' | 'requestId'>

/** A part of the log. */
export interface LogSpan {
  from?: Date | undefined
  /** Exclusive. */
  to?: Date | undefined
  /** Only rows older than this one, which itself is included unless it was seen. */
  since?: (LogPosition & { isSeen: boolean }) | undefined
}

/** The part of a query that the rows' key serves. */
export const spanCondition = (span: LogSpan): SQL | undefined => conditionOf(span, logs.at)

function conditionOf({ from, to, since }: LogSpan, at: SQLWrapper): SQL | undefined {
  if (!since) return and(from && gte(at, time(from)), to && lt(at, time(to)))
  const order = since.isSeen ? sql`<` : sql`<=`
  // Both conditions are needed: the pair for the order, the time alone for partition pruning.
  const older = and(lte(at, time(since.at)), sql`(${at}, ${logs.requestId}) ${order} (${time(since.at)}, ${since.requestId})`)
  return and(from && gte(at, time(from)), to && lt(at, time(to)), older)
}
const time = (instant: Date) => sql.param(instant, logs.at)

/** A search, newest first. */
export interface LogScan extends LogSpan {
  /** Conditions on single rows. */
  where: SQL | undefined
  /** The same condition as mutually exclusive cases, where the indexes serve only each alone. */
  cases?: readonly (SQL | undefined)[]
  limit: number
}

/** How many rows are first read one by one from the newest on, and then how many more; after that the index is used. */
const steps = [2_000, 20_000] as const

/** At most `limit` rows, newest first. */
export async function scanLogs({ db }: Pick<Store, 'db'>, { where, cases = [], limit, ...asked }: LogScan): Promise<Row[]> {
  const found: Row[] = []
  let span: LogSpan = asked
  for (const step of steps) {
    const within = spanCondition(span)
    const [edge] = await db
      .select(position)
      .from(logs)
      .where(within)
      .orderBy(...newestFirst)
      .limit(1)
      .offset(step)
    const newer = edge && sql`(${logs.at}, ${logs.requestId}) > (${time(edge.at)}, ${edge.requestId}) and ${gte(logs.at, edge.at)}`
    found.push(
      ...(await db
        .select()
        .from(logs)
        .where(and(where, within, newer))
        .orderBy(...newestFirst)
        .limit(limit - found.length)),
    )
    if (!edge || found.length === limit) return found
    span = { ...asked, since: { ...edge, isSeen: false } }
  }
  const older = await inOneMoment(db, async (tx) => {
    const rows: Row[] = []
    for (const one of cases.length > 0 ? cases : [where]) rows.push(...(await byFilters(tx, span, one, limit - found.length)))
    return rows
  })
  return [...found, ...inOrder(older, limit - found.length)]
}

/** The row of this request; undefined when none fits the condition. */
export async function scanForRequest({ db }: Pick<Store, 'db'>, where: SQL | undefined): Promise<Row | undefined> {
  const [row] = await inOneMoment(db, (tx) => byFilters(tx, {}, where, 1))
  return row
}

/** Creating a month moves rows into it: read table by table at different times, they would be in neither. */
const inOneMoment = <Result>(db: Db, reading: (tx: Db) => Promise<Result>): Promise<Result> =>
  db.transaction(reading, { isolationLevel: 'repeatable read', accessMode: 'read only' })

/** Summarizes rows added since the last run in the indexes; until then they are read by every search. */
export async function summarizeFilters({ db }: Store): Promise<void> {
  await db.transaction(async (tx) => {
    await lockUsage(tx)
    await tx.execute(sql`
      select brin_summarize_new_values(inhrelid::regclass) from pg_inherits
      where inhparent in ('logs_filters'::regclass, 'logs_upstream_models'::regclass)`)
  })
}

async function byFilters(tx: Db, span: LogSpan, where: SQL | undefined, limit: number): Promise<Row[]> {
  const parts = await tx.execute(sql`
    select relid::regclass::text as name from pg_partition_tree('logs') where isleaf order by relid::regclass::text desc`)
  // The planner cannot know how well the filters tell stretches apart, and would read all rows in the order of time.
  await tx.execute(sql`select set_config(name, 'off', true) from unnest(array['enable_indexscan', 'enable_seqscan', 'jit']) as name`)
  // For the same reason the time is hidden from the rows' key.
  const condition = and(where, conditionOf(span, sql`(${logs.at} + interval '0')`))
  const rowsIn = (name: string, most: number): Promise<Row[]> =>
    tx
      .select(columns)
      .from(sql`${sql.identifier(name)} as logs`)
      .where(condition)
      .orderBy(...newestFirst)
      .limit(most)
  const months: Row[] = []
  for (const { name } of returned<{ name: string }>(parts)) {
    if (name === strays || isOutside(name, span)) continue
    months.push(...(await rowsIn(name, limit - months.length)))
    if (months.length === limit) break
  }
  const all = [...months, ...(await rowsIn(strays, limit))]
  return inOrder(all, limit)
}

/** Newest first. */
const inOrder = (rows: readonly Row[], limit: number): Row[] =>
  rows.toSorted((a, b) => b.at.getTime() - a.at.getTime() || (a.requestId < b.requestId ? 1 : -1)).slice(0, limit)

/** The columns for a query whose table Drizzle does not know. */
const columns = Object.fromEntries(
  Object.entries(getTableColumns(logs)).map(([name, column]) => [name, sql`${column}`.mapWith(column)]),
) as unknown as ReturnType<typeof getTableColumns<typeof logs>>

/** Holds rows that were written before their month existed. */
const strays = 'logs_default'

function isOutside(month: string, { from, to, since }: LogSpan): boolean {
  const newest = [to, since?.at].filter((one) => one !== undefined)
  return (from !== undefined && month < monthName(from)) || newest.some((one) => month > monthName(one))
}

const newestFirst = [desc(logs.at), desc(logs.requestId)]
const position = { at: logs.at, requestId: logs.requestId }
