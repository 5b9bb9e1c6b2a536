/**
 * Days of a time zone, told to the database as instants: asked for a zone such as CET or EST, PostgreSQL takes it for an
 * abbreviation, which knows no summer. So usage has the days that budgets have.
 */
import { type SQL, sql } from 'drizzle-orm'

export interface Days {
  /** The first instants, ascending. */
  starts: readonly Date[]
  /** `2026-03-01`, one for each. */
  names: readonly string[]
}

/** From the day in which `from` lies to the last one that begins before `to`. Throws RangeError for a zone that nobody knows. */
export function daysOf(timezone: string, from: Date, to: Date): Days {
  const starts: Date[] = []
  const names: string[] = []
  let day = Temporal.Instant.fromEpochMilliseconds(from.getTime()).toZonedDateTimeISO(timezone).startOfDay()
  do {
    starts.push(new Date(day.epochMilliseconds))
    names.push(day.toPlainDate().toString())
    day = day.add({ days: 1 }).startOfDay()
  } while (day.epochMilliseconds < to.getTime())
  return { starts, names }
}

/** The name of the day in which `at` lies. Both lists are read once in a query, whatever its rows. */
export const dayOfAt = ({ starts, names }: Days): SQL =>
  sql`(select ${listed(names)}::text[])[width_bucket(at, (select ${instants(starts)}))]`

/** An array of these instants. */
export const instants = (all: readonly Date[]): SQL => sql`${listed(all.map((one) => one.toISOString()))}::timestamptz[]`

/** As one text, which drivers send as it is. */
const listed = (all: readonly string[]) => sql`${`{${all.join(',')}}`}::text`
