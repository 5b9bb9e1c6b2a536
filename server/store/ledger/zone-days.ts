/**
 * Days of a time zone, passed to the database as instants: PostgreSQL reads zones such as CET or EST as abbreviations without
 * daylight saving time. So usage has the same days as budgets.
 */
import { type SQL, sql } from 'drizzle-orm'

/** Consecutive days. */
export interface Days {
  /** The start of each day, ascending. */
  starts: readonly Date[]
  /** `2026-03-01`, one for each. */
  names: readonly string[]
}

/** From the day that contains `from` to the last one that starts before `to`. Throws RangeError for an unknown zone. */
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

/**
 * The name of the day that contains `at`. Both lists are evaluated once per query, however many rows. `name`: elements of a fixed length
 * are found without reading those before them.
 */
export const dayOfAt = ({ starts, names }: Days): SQL =>
  sql`(select ${listed(names)}::name[])[width_bucket(at, (select ${instants(starts)}))]::text`

/** An array of these instants. */
export const instants = (all: readonly Date[]): SQL => sql`${listed(all.map((one) => one.toISOString()))}::timestamptz[]`

/** Sent as one text parameter, which drivers pass unchanged. */
const listed = (all: readonly string[]) => sql`${`{${all.join(',')}}`}::text`
