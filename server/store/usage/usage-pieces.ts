/** Splits a report into spans of time, each of which is read quickly. */
import { sql } from 'drizzle-orm'
import { returned } from '#store/engine/rows'
import type { Db } from '#store/engine/store'
import { keptFromInstant } from './usage-hours.ts'
import { partsSince } from './usage-parts.ts'
import { floorOf, type UsageQuestion } from './usage-question.ts'

/** A span of time; the end is exclusive. */
export type Span = Pick<UsageQuestion, 'from' | 'to'>

/** An hour of which usage rows are read: all of them, or those that marks name. */
export interface BusyHour {
  hour: Date
  rows: number
  /** Its rows are complete, so that it may be divided. */
  divisible: boolean
}

const hourMs = 3_600_000
/** Usage rows, and hours whose sums are read, in one piece. */
const [mostRows, mostHours] = [2_000, 28 * 24]
/** This many sums are read quickly, over any span. */
const fewSums = 10_000

/** Whether the span has so few sums that it need not be divided. */
export async function hasFewSums(db: Db, { from, to }: Span): Promise<boolean> {
  const counted = await db.execute(sql`
    select count(*)::integer as n from (
      select 1 from usage_hours where hour >= ${floorOf(from).toISOString()}::timestamptz and hour < ${to.toISOString()}::timestamptz limit ${fewSums}
    ) as found`)
  return (returned<{ n: number }>(counted)[0]?.n ?? 0) < fewSums
}

/** The hours with a mark, ascending, and how many usage rows each has. */
export async function busyHours(db: Db, { from, to }: Span): Promise<BusyHour[]> {
  const found = await db.execute(sql`
    select (extract(epoch from hour) * 1000)::text as ms, hour >= ${keptFromInstant} and by_row as divisible, case
      when by_row then (select count(*) from logs where at >= hour and at < hour + interval '1 hour')
      else named end::text as rows
    from (
      select hour, bool_or(apart) or hour < ${partsSince} as by_row, coalesce(sum(cardinality(ids)), 0) as named
      from usage_marks where hour >= ${floorOf(from).toISOString()}::timestamptz and hour < ${to.toISOString()}::timestamptz group by hour
    ) as marked order by hour`)
  return returned<{ ms: string; divisible: boolean; rows: string }>(found).map(({ ms, divisible, rows }) => ({
    hour: new Date(Number(ms)),
    rows: Number(rows),
    divisible,
  }))
}

/** The span, divided where it has many usage rows and, without `few` sums, every four weeks. The pieces follow each other without a gap. */
export function piecesOf({ from, to }: Span, busy: readonly BusyHour[], few = false): Span[] {
  const most = few ? Number.POSITIVE_INFINITY : mostHours * hourMs
  const ends: number[] = []
  let [begun, rows] = [floorOf(from).getTime(), 0]
  /** Ends a piece there. */
  const end = (at: number) => {
    if (at > from.getTime() && at < to.getTime()) ends.push(at)
    begun = at
    rows = 0
  }
  const upTo = (at: number) => {
    while (at - begun >= most) end(begun + most)
  }
  for (const one of busy) {
    const hour = one.hour.getTime()
    upTo(hour)
    if (rows + one.rows > mostRows && hour > begun) end(hour)
    const parts = one.divisible ? Math.min(60, Math.ceil(one.rows / mostRows)) : 1
    for (let part = 1; part < parts; part++) end(hour + Math.floor((part * hourMs) / parts))
    // The next hour may have sums only, which must not be divided.
    if (parts > 1) end(hour + hourMs)
    else rows += one.rows
  }
  upTo(to.getTime())
  const starts = [from, ...ends.map((at) => new Date(at))]
  return starts.map((start, n) => ({ from: start, to: starts[n + 1] ?? to }))
}
