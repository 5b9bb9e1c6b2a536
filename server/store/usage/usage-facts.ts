/**
 * Which fields of a usage row are summed, and how. A fact is a row of `usage_hours`, or one usage row in the same form; facts with
 * the same keys add up to a fact of the same form, so stored sums and live queries share one definition. SQL only; queries are in
 * `usage.ts`.
 */
import { type SQL, sql } from 'drizzle-orm'
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
/** All columns of `usage_hours` but the hour, for which facts have `at`. */
export const factColumns = sql.raw(`user_id, key_id, key, "group", model, channel, ${measures}`)

/** A row has its figures in an array, or is older and has them in `usage`. */
const figure = (path: string) => {
  const place = figurePaths.findIndex((parts) => parts.join() === path) + 1
  return `coalesce(figures[${place}], (usage #>> '{${path}}')::numeric, 0)`
}

/** Histogram slot of a duration: slot n ends at 2^(n/8) milliseconds; slot 0 is below one. */
const slots = (ms: string) =>
  `case when ${ms} is null then '{}' else jsonb_build_object(case when ${ms} < 1 then 0 else 1 + floor(8 * ln(${ms}::float8) / ln(2::float8)) end, 1) end`

/** The middle of a slot in milliseconds, within 4.5 % of every duration in it. */
export const middleOf = (slot: number): number => (slot === 0 ? 0 : 2 ** ((slot - 0.5) / 8))

const requests = `coalesce((error ->> 'count')::bigint, 1)`

/** A usage row as a fact: the columns of `factColumns`, for `select ... from` rows of logs. */
export const factsOfRow = sql.raw(
  [
    `user_id, coalesce(key_id, ''), key, "group", model, coalesce(channel, '')`,
    // A row may stand for several refused requests.
    `${requests}, case when "end" in ('error', 'cut') then ${requests} else 0 end`,
    figure('in,fresh'),
    figure('in,cacheRead'),
    ['5m', '1h', 'other'].map((age) => figure(`in,cacheWrite,${age}`)).join(' + '),
    ...['in,audio', 'in,image', 'out,total', 'out,reasoning', 'out,audio', 'out,image'].map(figure),
    ...['images', 'seconds', 'characters', 'searches'].map((unit) => figure(`units,${unit}`)),
    'cost, charged, upstream_cost, cost - upstream_cost',
    slots('total_ms'),
    slots('first_token_ms'),
  ].join(', '),
)

/** The start of the instant's hour, UTC. */
export const hourOf = (instant: SQL): SQL => sql`date_trunc('hour', ${instant}, 'UTC')`

/**
 * `with` queries, the last named `added`: the sums of `facts` (columns `at` and those of `factColumns`) by `keys`, which are text. It
 * has the columns `k0`, `k1`, ..., a name of the key as `key`, and `measureColumns`.
 */
export function addedUp(facts: SQL, keys: readonly SQL[]): SQL {
  const named = sql.join(
    keys.map((key, n) => sql`${key} as ${sql.raw(`k${n}`)}`),
    sql`, `,
  )
  const names = keys.map((_, n) => `k${n}`).join(', ')
  const slotted = (column: string) =>
    sql.raw(`
    select ${names}, jsonb_object_agg(slot, n) as ${column} from (
      select ${names}, e.key as slot, sum(e.value::numeric) as n from keyed, jsonb_each_text(${column}) as e group by ${names}, e.key
    ) as t group by ${names}`)
  // Scanned three times, which is cheaper than materialising it.
  return sql`
    facts (at, ${factColumns}) as not materialized (${facts}),
    keyed as not materialized (select ${named}, facts.* from facts),
    counted as (
      select ${sql.raw(names)}, max(key) as key, ${sql.raw(sums.map((name) => `sum(${name}) as ${name}`).join(', '))} from keyed group by ${sql.raw(names)}
    ),
    total as (${slotted('total_ms')}),
    first as (${slotted('first_token_ms')}),
    added as (
      select counted.*, coalesce(total_ms, '{}') as total_ms, coalesce(first_token_ms, '{}') as first_token_ms
      from counted left join total using (${sql.raw(names)}) left join first using (${sql.raw(names)})
    )`
}
