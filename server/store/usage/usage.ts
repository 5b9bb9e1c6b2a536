/**
 * Usage in a time span, summed by up to two keys. The figures are the same whether an hour is read from its sums or its usage rows:
 * rows are read where sums are out of date, and for hours that are cut by the span or by a day.
 */
import { sql } from 'drizzle-orm'
import { GatewayError } from '#shared/errors'
import { returned } from '#store/engine/rows'
import type { Db, Store } from '#store/engine/store'
import { type Days, daysOf } from './usage-days.ts'
import { middleOf, type UsageSum } from './usage-facts.ts'
import { keptFromInstant, withoutCompiler } from './usage-hours.ts'
import { floorOf, isWhole, statementOf, type UsageKey, type UsageQuestion } from './usage-question.ts'

/** Milliseconds; null where nothing was measured. */
export interface Percentiles {
  p50: number
  p95: number
  p99: number
}

/** One row of a report. */
export interface UsageSums {
  /**
   * In the order of `by`: ids of users and keys, names, `2026-03-01` or `2026-03-01T10:00:00Z`. An empty key id: without a key (a
   * session); an empty channel: none answered.
   */
  keys: string[]
  /** One of the key's names, where rows are by key. */
  keyName: string | null
  figures: Record<Exclude<UsageSum, 'cost' | 'charged' | 'upstream_cost' | 'margin'>, number>
  /** Nano-dollars. */
  cost: bigint
  charged: bigint
  /** Null = no channel among them has upstream prices. */
  upstreamCost: bigint | null
  margin: bigint | null
  totalMs: Percentiles | null
  firstTokenMs: Percentiles | null
}

/**
 * Runs a report: ascending by `keys`, one row more than the limit if there are more. Throws `invalid_value` for an unsupported span
 * or time zone.
 */
export async function addUpUsage({ db }: Store, asked: UsageQuestion): Promise<UsageSums[]> {
  const days = asked.by.includes('day') ? daysAsked(asked) : none
  return db.transaction(async (tx) => {
    await tx.execute(sql`set local statement_timeout = '30s'`)
    await withoutCompiler(tx)
    await refuseCutHours(tx, asked)
    return returned<SumRow>(await tx.execute(statementOf(asked, days))).map((row) => sumsOf(row, asked.by))
  })
}

const none: Days = { starts: [], names: [] }

function daysAsked({ timezone, from, to }: UsageQuestion): Days {
  try {
    return daysOf(timezone, floorOf(from), to)
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown
    throw new GatewayError('invalid_value', 'timezone: expected the name of a time zone, like Europe/Berlin.', { param: 'timezone' })
  }
}

/** Hours without usage rows can only be reported as a whole. */
async function refuseCutHours(tx: Db, { from, to }: UsageQuestion): Promise<void> {
  if (isWhole(from) && isWhole(to)) return
  const [kept] = returned<{ ms: string | null }>(
    await tx.execute(sql`select (extract(epoch from nullif(${keptFromInstant}, '-infinity')) * 1000)::text as ms`),
  )
  for (const [param, instant] of Object.entries({ from, to })) {
    if (isWhole(instant) || instant.getTime() >= Number(kept?.ms ?? 0)) continue
    const message = `${param}: usage of that time is stored by the hour; expected a full hour.`
    throw new GatewayError('invalid_value', message, { param })
  }
}

type SumRow = Record<string, string | null> & { key: string | null; total_ms: unknown; first_token_ms: unknown }

function sumsOf(row: SumRow, by: readonly UsageKey[]): UsageSums {
  const { key, total_ms, first_token_ms, cost, charged, upstream_cost = null, margin = null, ...rest } = row
  const figures = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, Number(value)]))
  const amount = (text: string | null) => (text === null ? null : BigInt(text))
  return {
    keys: by.map((_, n) => row[`k${n}`] ?? ''),
    keyName: by.includes('key') ? key : null,
    figures: figures as UsageSums['figures'],
    cost: BigInt(cost ?? 0),
    charged: BigInt(charged ?? 0),
    upstreamCost: amount(upstream_cost),
    margin: amount(margin),
    totalMs: percentiles(total_ms),
    firstTokenMs: percentiles(first_token_ms),
  }
}

/** Percentiles by nearest rank, from a histogram. Drivers parse JSON or leave it as text. */
function percentiles(column: unknown): Percentiles | null {
  const counts: Record<string, number> = typeof column === 'string' ? JSON.parse(column) : column
  let all = 0
  const slots: { slot: number; upTo: number }[] = []
  for (const slot of Object.keys(counts)
    .map(Number)
    .sort((a, b) => a - b)) {
    all += counts[slot] ?? 0
    slots.push({ slot, upTo: all })
  }
  if (all === 0) return null
  const at = (share: number) => Math.round(middleOf(slots.find(({ upTo }) => upTo >= all * share)?.slot ?? 0))
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) }
}
