/** The query of a usage report, and its statement: from which rollups, hourly sums and usage rows it is added up. */
import { type SQL, sql } from 'drizzle-orm'
import { type Days, dayOfAt, instants } from '#store/ledger/zone-days'
import { addedUp, factsOfRow, factsOfSum, hourOf, values } from './usage-facts.ts'
import { keptFromInstant } from './usage-hours.ts'
import { namedRows, partsSince } from './usage-parts.ts'
import { type RollupLevel, utcDayOf } from './usage-rollups.ts'

/** What usage can be grouped by. */
export type UsageKey = 'model' | 'key' | 'user' | 'team' | 'group' | 'channel' | 'hour' | 'day'

/** Ids for users, members and keys, names for the rest. `user`: who paid, a user or a team; `member`: for whom a team did. */
export type UsageFilter = Partial<Record<'user' | 'member' | 'key' | 'group' | 'model' | 'channel', string>>

/** Of which users (who paid) and keys, by their ids, and of which models, besides the filter. */
export interface UsageLists {
  users?: readonly string[]
  keys?: readonly string[]
  models?: readonly string[]
}

/** A report to run. */
export interface UsageQuestion {
  from: Date
  /** Exclusive. */
  to: Date
  /** Grouping keys; empty = one row for everything. */
  by: readonly UsageKey[]
  /** IANA time zone of the days. */
  timezone: string
  filter: UsageFilter & UsageLists
  limit: number
  /** The `keys` of the last row of the previous page. */
  after?: readonly string[]
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const startOf = (instant: Date, ms: number) => new Date(Math.floor(instant.getTime() / ms) * ms)
const time = (instant: Date) => sql`${instant.toISOString()}::timestamptz`

/** The start of the hour. */
export const floorOf = (instant: Date): Date => startOf(instant, hourMs)
/** Whether an hour begins there. */
export const isWhole = (instant: Date): boolean => instant.getTime() % hourMs === 0

/** Selects the sums, ascending by their keys; `days`: those of the question's time zone, where it asks by the day. */
export function statementOf(asked: UsageQuestion, days: Days): SQL {
  const { by, limit, after } = asked
  const keys = by.length === 0 ? [sql`''::text`] : by.map((key) => (key === 'day' ? dayOfAt(days) : expressions[key]))
  const names = sql.raw(keys.map((_, n) => `k${n}`).join(', '))
  const level = levelFor(asked, days)
  return sql`
    with kept as materialized (select ${keptFromInstant} as since),
    ${markedHours(asked, days)}
    ${level ? looseDays(asked, level) : sql``}
    ${singleRows(asked)}
    ${addedUp(facts(asked, level), keys, isLong(by) ? { after, limit: limit + 1 } : undefined)}
    select * from added ${after ? sql`where (${names}) > (${values(after)})` : sql``} order by ${names} limit ${limit + 1}`
}

/**
 * The hours that their sums in `usage_hours` do not tell of. `apart`: those of which usage rows are read. `going`: those that have parts,
 * and rows that marks name. `touched`: both.
 */
const markedHours = ({ from, to }: UsageQuestion, days: Days): SQL => sql`
    marked as materialized (
      select hour, bool_or(apart) or hour < ${partsSince} as by_row from usage_marks
      where hour >= ${time(floorOf(from))} and hour < ${time(to)} group by hour
    ),
    apart as materialized (
      select hour from marked where by_row ${cutHours(from, to)} ${dividedHours(floorOf(from), to, days)}
    ),
    going as materialized (select hour from marked where hour not in (select hour from apart)),
    touched as materialized (select hour from apart union all select hour from going),`

/** Whether there are usually more sums than fit on a page. */
const isLong = (by: readonly UsageKey[]) => by.length > 1 || by.some((key) => key === 'key' || key === 'user' || key === 'hour')

const ofPeople: ReadonlySet<string> = new Set(['user', 'team', 'member', 'key', 'users', 'keys'])

/** The rollups that know enough to answer the question; undefined where only the sums of hours do. */
function levelFor({ by, filter }: UsageQuestion, { starts }: Days): RollupLevel | undefined {
  const isOfPeople = [...by, ...Object.keys(filter)].some((name) => ofPeople.has(name))
  const dividesDays = by.includes('hour') || starts.slice(1).some((start) => start.getTime() % dayMs !== 0)
  if (dividesDays) return isOfPeople ? undefined : 'hours'
  return isOfPeople ? 'days' : 'totals'
}

/** `loose`: the days (UTC) for which the sums of hours are read. */
function looseDays({ from, to }: UsageQuestion, level: RollupLevel): SQL {
  const cut = [from, to].filter((end) => end.getTime() % dayMs !== 0).map((end) => sql`union select ${time(startOf(end, dayMs))}`)
  const ofWholeDays = sql`union select ${utcDayOf(sql`hour`)} from touched ${sql.join(cut, sql` `)}`
  return sql`
    loose as materialized (
      select distinct day from usage_rollup_marks where day >= ${time(startOf(from, dayMs))} and day < ${time(to)}
      ${level === 'hours' ? sql`` : ofWholeDays}
    ),`
}

/** `single`: the usage rows that are read as such. They are wide and far apart, and so read only once. */
const singleRows = ({ from, to, filter }: UsageQuestion) => sql`
    single as materialized (
      select l.at, ${factsOfRow} from apart, lateral (
        select * from logs where at >= greatest(apart.hour, ${time(from)}) and at < least(apart.hour + interval '1 hour', ${time(to)})
          ${conditions(filter)} offset 0
      ) as l
      union all ${namedRows(sql`select ats, ids from usage_marks where ids is not null and hour in (select hour from going)`, conditions(filter))}
    ),`

function facts({ from, to, filter }: UsageQuestion, level: RollupLevel | undefined): SQL {
  const [floor, wanted] = [time(floorOf(from)), conditions(filter)]
  const summed = (column: SQL) => sql`(${column} < kept.since or ${column} not in (select hour from touched))`
  const hours = level
    ? sql`
    select start, ${factsOfSum} from usage_rollups, kept
    where level = ${level} and start >= ${floor} and start < ${time(to)} and ${summed(sql`start`)}
      and ${utcDayOf(sql`start`)} not in (select day from loose) ${wanted}
    union all
    select h.hour, ${factsOfSum} from loose, lateral (
      select usage_hours.* from usage_hours, kept
      where hour >= greatest(loose.day, ${floor}) and hour < least(loose.day + interval '24 hours', ${time(to)}) and ${summed(sql`hour`)} ${wanted} offset 0
    ) as h`
    : sql`
    select hour, ${factsOfSum} from usage_hours, kept where hour >= ${floor} and hour < ${time(to)} and ${summed(sql`hour`)} ${wanted}`
  return sql`${hours}
    union all select hour, ${factsOfSum} from usage_parts where hour in (select hour from going) ${wanted}
    union all select * from single`
}

const expressions: Record<Exclude<UsageKey, 'day'>, SQL> = {
  model: sql`model`,
  key: sql`key_id`,
  // Who asked: a user who pays, or the member of a team; empty where nobody is known any more.
  user: sql`case when starts_with(user_id, 'team_') then split_part(coalesce(member_id, ''), '.', 2) else user_id end`,
  team: sql`case when starts_with(user_id, 'team_') then user_id else '' end`,
  group: sql`"group"`,
  channel: sql`channel`,
  hour: sql`to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:00:00"Z"')`,
}

/** These columns have the same names in rollups, sums and usage rows. */
const filtered = { user: 'user_id', member: 'member_id', key: 'key_id', group: 'group', model: 'model', channel: 'channel' } as const
function conditions({ users, keys, models, ...filter }: UsageFilter & UsageLists): SQL {
  const parts = Object.entries(filter).map(([name, value]) => sql`and ${sql.identifier(filtered[name as keyof UsageFilter])} = ${value}`)
  const among = (column: SQL, ids: readonly string[] | undefined) =>
    ids === undefined ? [] : [ids.length === 0 ? sql`and false` : sql`and ${column} in (${values(ids)})`]
  return sql.join([...parts, ...among(sql`user_id`, users), ...among(sql`key_id`, keys), ...among(sql`model`, models)], sql` `)
}

/** Hours in which the span begins or ends. */
function cutHours(...ends: readonly Date[]): SQL {
  const cut = ends.filter((end) => !isWhole(end)).map((end) => sql`union select ${hourOf(time(end))}`)
  return sql.join(cut, sql` `)
}

/**
 * Hours in which a day ends: some zones have offsets of a half or a quarter of an hour. If its rows are gone, such an hour counts to
 * the day it began in.
 */
function dividedHours(from: Date, to: Date, { starts }: Days): SQL {
  const divided = starts.filter((start) => start > from && start < to && !isWhole(start)).map(floorOf)
  if (divided.length === 0) return sql``
  return sql`union select h from kept, unnest(${instants(divided)}) as h where h >= kept.since`
}
