/** What a report answers: rows of the statement, added up further where it was asked in pieces, with percentiles in the end. */
import { middleOf, type UsageSum } from './usage-facts.ts'
import type { UsageKey } from './usage-question.ts'

/** Milliseconds; null where nothing was measured. */
export interface Percentiles {
  p50: number
  p95: number
  p99: number
}

/** One row of a report. */
export interface UsageSums {
  /**
   * In the order of `by`: ids of users, teams and keys, names, `2026-03-01` or `2026-03-01T10:00:00Z`. An empty key id: without a key (a
   * session); an empty team: paid by a user; an empty user: a member of a team who has left; an empty channel: none answered.
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

/** Sums that others can be added to: histograms in place of percentiles. */
export interface CountedUsage extends Omit<UsageSums, 'totalMs' | 'firstTokenMs'> {
  totalMs: Histogram
  firstTokenMs: Histogram
}

/** Counts by slot. */
type Histogram = ReadonlyMap<number, number>

/** A row of the statement. */
export type SumRow = Record<string, string | null> & { key: string | null; total_ms: unknown; first_token_ms: unknown }

/** The row's sums; `by` as it was asked. */
export function countedOf(row: SumRow, by: readonly UsageKey[]): CountedUsage {
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
    totalMs: histogram(total_ms),
    firstTokenMs: histogram(first_token_ms),
  }
}

/** Both, added up by their keys, in the order of the keys. */
export function addedTo(some: readonly CountedUsage[], more: readonly CountedUsage[]): CountedUsage[] {
  const known = new Map(some.map((one) => [nameOf(one), one]))
  for (const one of more) {
    const before = known.get(nameOf(one))
    known.set(nameOf(one), before ? sumOf(before, one) : one)
  }
  return [...known.values()].sort(inOrder)
}

const nameOf = ({ keys }: CountedUsage) => JSON.stringify(keys)

/** As the embedded database orders texts: by their bytes. */
function inOrder(a: CountedUsage, b: CountedUsage): number {
  for (const [n, key] of a.keys.entries()) {
    const order = Buffer.compare(Buffer.from(key), Buffer.from(b.keys[n] ?? ''))
    if (order !== 0) return order
  }
  return 0
}

function sumOf(a: CountedUsage, b: CountedUsage): CountedUsage {
  const figures = Object.entries(a.figures).map(([name, value]) => [name, value + b.figures[name as keyof typeof b.figures]])
  return {
    keys: a.keys,
    keyName: b.keyName ?? a.keyName,
    figures: Object.fromEntries(figures),
    cost: a.cost + b.cost,
    charged: a.charged + b.charged,
    upstreamCost: known(a.upstreamCost, b.upstreamCost),
    margin: known(a.margin, b.margin),
    totalMs: together(a.totalMs, b.totalMs),
    firstTokenMs: together(a.firstTokenMs, b.firstTokenMs),
  }
}

const known = (a: bigint | null, b: bigint | null) => (a === null ? b : a + (b ?? 0n))

function together(a: Histogram, b: Histogram): Histogram {
  const counts = new Map(a)
  for (const [slot, count] of b) counts.set(slot, (counts.get(slot) ?? 0) + count)
  return counts
}

/** What a report tells of the sums. */
export const sumsOf = ({ totalMs, firstTokenMs, ...sums }: CountedUsage): UsageSums => ({
  ...sums,
  totalMs: percentiles(totalMs),
  firstTokenMs: percentiles(firstTokenMs),
})

/** Drivers parse JSON or leave it as text. */
function histogram(column: unknown): Histogram {
  const counts: Record<string, number> = typeof column === 'string' ? JSON.parse(column) : column
  return new Map(Object.entries(counts).map(([slot, count]) => [Number(slot), count]))
}

/** Percentiles by nearest rank. */
function percentiles(counts: Histogram): Percentiles | null {
  let all = 0
  const slots: { slot: number; upTo: number }[] = []
  for (const [slot, count] of [...counts].sort(([a], [b]) => a - b)) {
    all += count
    slots.push({ slot, upTo: all })
  }
  if (all === 0) return null
  const at = (share: number) => Math.round(middleOf(slots.find(({ upTo }) => upTo >= all * share)?.slot ?? 0))
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) }
}
