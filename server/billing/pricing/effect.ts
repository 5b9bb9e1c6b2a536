/** What a price would have made of requests that were made: counted from their sums, so tiers and factors are left out. Pure. */
import { noUsage } from '#canonical/usage'
import type { UsageTotals } from '#shared/console/usage'
import { cost } from './cost.ts'
import type { Rates } from './price.ts'

/** Nano-dollars of these sums at these rates; `ratio` in millionths. Cache writes count as those of five minutes. */
export function costOfSums(rates: Rates, sums: Pick<UsageTotals, 'requests' | 'tokens' | 'units'>, ratio: bigint): bigint {
  const { tokens, units, requests } = sums
  const usage = {
    ...noUsage(),
    in: { ...tokens.in, cacheWrite: { '5m': tokens.in.cacheWrite, '1h': 0, other: 0 } },
    out: tokens.out,
    units: { ...units, requests },
  }
  return cost(usage, { ...rates, tiers: [] }, ratio)
}
