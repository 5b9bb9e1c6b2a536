/**
 * Which fields of a usage row are summed, and how. A fact is a stored sum, or one usage row in the same form except for durations: sums
 * have histograms, a row has one slot of each. Facts with the same keys add up to a sum, so stored sums and live queries share one
 * definition. SQL only; queries are in `usage-question.ts`.
 */
import { type SQL, sql } from 'drizzle-orm'
import { failedEnds } from '#shared/ids'
import { figurePaths } from '#store/ledger/row-detail'

/** Plain sums; an upstream may report any number. */
const sums = [
  'requests',
  'errors',
  'fresh',
  'cache_read',
  'cache_write',
  'audio_in',
  'image_in',
  'output',
  'reasoning',
  'audio_out',
  'image_out',
  'images',
  'seconds',
  'characters',
  'searches',
  'cost',
  'charged',
  'upstream_cost',
  'margin',
] as const
/** A summed field. */
export type UsageSum = (typeof sums)[number]

const measures = [...sums, 'total_ms', 'first_token_ms'].join(', ')
/** The columns of all measures. */
export const measureColumns = sql.raw(measures)
const columns = `user_id, member_id, key_id, key, "group", model, channel, ${measures}`
/** The columns of `usage_hours` and `usage_rollups`, but for their time. */
export const sumColumns = sql.raw(columns)
/** A stored sum as a fact: what is selected of it after its time. */
export const factsOfSum = sql.raw(`${columns}, null::float8, null::float8`)

/** The dimensions of the sums. */
export const dimensions: readonly SQL[] = [sql`user_id`, sql`coalesce(member_id, '')`, sql`key_id`, sql`"group"`, sql`model`, sql`channel`]

/** A row has its figures in an array, or is older and has them in `usage`. */
const figure = (path: string) => {
  const place = figurePaths.findIndex((parts) => parts.join() === path) + 1
  return `coalesce(figures[${place}], (usage #>> '{${path}}')::numeric, 0)`
}

/** Histogram slot of a duration: slot n ends at 2^(n/8) milliseconds; slot 0 is below one. */
const slotOf = (ms: string) => `case when ${ms} < 1 then 0 else 1 + floor(8 * ln(${ms}::float8) / ln(2::float8)) end`

/** The middle of a slot in milliseconds, within 4.5 % of every duration in it. */
export const middleOf = (slot: number): number => (slot === 0 ? 0 : 2 ** ((slot - 0.5) / 8))

const requests = `coalesce((error ->> 'count')::bigint, 1)`

/** A usage row as a fact: what is selected of rows of `logs` after their time. */
export const factsOfRow = sql.raw(
  [
    `user_id, member_id, coalesce(key_id, ''), key, "group", model, coalesce(channel, '')`,
    // A row may stand for several refused requests.
    `${requests}, case when "end" in (${failedEnds.map((end) => `'${end}'`).join(', ')}) then ${requests} else 0 end`,
    figure('in,fresh'),
    figure('in,cacheRead'),
    ['5m', '1h', 'other'].map((age) => figure(`in,cacheWrite,${age}`)).join(' + '),
    ...['in,audio', 'in,image', 'out,total', 'out,reasoning', 'out,audio', 'out,image'].map(figure),
    ...['images', 'seconds', 'characters', 'searches'].map((unit) => figure(`units,${unit}`)),
    'cost, charged, upstream_cost, cost - upstream_cost',
    `null::jsonb, null::jsonb, ${slotOf('total_ms')}, ${slotOf('first_token_ms')}`,
  ].join(', '),
)

/** The start of the instant's hour, UTC. */
export const hourOf = (instant: SQL): SQL => sql`date_trunc('hour', ${instant}, 'UTC')`

/** A page of the sums: those after these keys, at most `limit`. */
export interface Page {
  after: readonly string[] | undefined
  limit: number
}

/**
 * `with` queries, the last named `added`: the sums of `facts` (a time, then a fact) by `keys`, which are text. It
 * has the columns `k0`, `k1`, ..., a name of the key as `key`, and `measureColumns`. With a page, the keys of that page are found first,
 * and only what belongs to them is added up.
 */
export function addedUp(facts: SQL, keys: readonly SQL[], page?: Page): SQL {
  const named = sql.join(
    keys.map((key, n) => sql`${key} as ${sql.raw(`k${n}`)}`),
    sql`, `,
  )
  const names = keys.map((_, n) => `k${n}`).join(', ')
  const slotted = (column: string, slot: string) =>
    sql.raw(`
    select ${names}, jsonb_object_agg(slot, n) as ${column} from (
      select ${names}, slot, sum(n) as n from (
        select ${names}, e.key as slot, e.value::numeric as n from keyed, jsonb_each(${column}) as e where ${column} is not null
        union all select ${names}, ${slot}::text, count(*) from keyed where ${slot} is not null group by ${names}, ${slot}
      ) as s group by ${names}, slot
    ) as t group by ${names}`)
  // Scanned three times, which is cheaper than materialising it.
  return sql`
    facts (at, ${sumColumns}, total_slot, first_slot) as not materialized (${facts}),
    ${page ? pageOf(page, named, names, keys.length) : sql`keyed as not materialized (select ${named}, facts.* from facts)`},
    counted as (
      select ${sql.raw(names)}, max(key) as key, ${sql.raw(sums.map((name) => `sum(${name}) as ${name}`).join(', '))} from keyed group by ${sql.raw(names)}
    ),
    total as (${slotted('total_ms', 'total_slot')}),
    first as (${slotted('first_token_ms', 'first_slot')}),
    added as (
      select counted.*, coalesce(total_ms, '{}') as total_ms, coalesce(first_token_ms, '{}') as first_token_ms
      from counted left join total using (${sql.raw(names)}) left join first using (${sql.raw(names)})
    )`
}

/** These texts, as the values of a row. */
export const values = (texts: readonly string[]): SQL =>
  sql.join(
    texts.map((text) => sql`${text}::text`),
    sql`, `,
  )

/** The queries up to `keyed` where only one page is asked for. */
function pageOf({ after, limit }: Page, named: SQL, names: string, count: number): SQL {
  const columns = sql.raw(names)
  const further = after ? sql`(${columns}) > (${values(after)})` : sql`true`
  const falling = sql.raw(Array.from({ length: count }, (_, n) => `k${n} desc`).join(', '))
  return sql`
    every as not materialized (select ${named}, facts.* from facts),
    page as materialized (select ${columns} from every where ${further} group by ${columns} order by ${columns} limit ${limit}),
    keyed as not materialized (
      select * from every where ${further} and (${columns}) <= (select ${columns} from page order by ${falling} limit 1)
    )`
}
