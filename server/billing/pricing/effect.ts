/** What past requests would have cost at another price: each by itself, or by their sums. Pure. */
import { noUsage } from '#canonical/usage'
import type { UsageTotals } from '#shared/console/usage'
import { parseRatio } from '#shared/money'
import { answeredModel, type StoredLog } from '#store/ledger/row-detail'
import { cost } from './cost.ts'
import type { Rates } from './price.ts'

/** Fields of a usage row that a price applies to. */
export type PricedRow = Pick<StoredLog, 'usage' | 'price' | 'cost' | 'attempts' | 'lines'>

/** A row of a session: its answers were priced one by one, and only their sum is known. */
export const isSession = ({ lines }: Pick<PricedRow, 'lines'>): boolean => lines !== null

/**
 * Nano-dollars of one request at these rates, as it would be billed, at the ratio of its own time. One answered by a fallback model
 * keeps its actual cost; one without usage or price costs nothing. A session has no tiers: its answers are not known.
 */
export function costOfRequest(rates: Rates, row: PricedRow): bigint {
  if (answeredModel(row.attempts) !== undefined) return row.cost
  if (row.usage === null || row.price === null) return 0n
  return cost(row.usage, isSession(row) ? withoutTiers(rates) : rates, parseRatio(row.price.ratio))
}

/**
 * Nano-dollars of these sums at these rates, an estimate: tiers and factors are left out, cache writes count as those of five minutes, and
 * requests that failed cost nothing by the piece. `ratio` in millionths.
 */
export function costOfSums(rates: Rates, sums: Pick<UsageTotals, 'requests' | 'errors' | 'tokens' | 'units'>, ratio: bigint): bigint {
  const { tokens, units, requests, errors } = sums
  const usage = {
    ...noUsage(),
    in: { ...tokens.in, cacheWrite: { '5m': tokens.in.cacheWrite, '1h': 0, other: 0 } },
    out: tokens.out,
    units: { ...units, requests: requests - errors },
  }
  return cost(usage, withoutTiers(rates), ratio)
}

const withoutTiers = (rates: Rates): Rates => (rates.tiers.length === 0 ? rates : { ...rates, tiers: [] })
