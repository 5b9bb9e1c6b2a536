/** What a price would have meant for requests that were made. Tiers and ratios are left out: it is an estimate and says so. */
import type { PriceFields } from '#shared/console/price'
import type { UsageTotals } from '#shared/console/usage'
import { formatUsd, parseUsd } from '#shared/money'

const million = 1_000_000n
const nano = (text: string | undefined) => (text === undefined || text.trim() === '' ? undefined : parseUsd(text.trim()))

/** USD of these sums at this price; undefined where a price is not a decimal. */
export function costOf(price: PriceFields, sums: Pick<UsageTotals, 'tokens' | 'units' | 'requests'>): string | undefined {
  try {
    const input = nano(price.input) ?? 0n
    const output = nano(price.output) ?? 0n
    const cached = nano(price.cacheRead) ?? input
    const written = nano(price.cacheWrite5m) ?? input
    const { tokens, units } = sums
    const perMillion =
      BigInt(Math.round(tokens.in.fresh)) * input +
      BigInt(Math.round(tokens.in.cacheRead)) * cached +
      BigInt(Math.round(tokens.in.cacheWrite)) * written +
      BigInt(Math.round(tokens.out.total)) * output +
      BigInt(Math.round(units.characters)) * (nano(price.character) ?? 0n)
    const each =
      BigInt(sums.requests) * (nano(price.request) ?? 0n) +
      BigInt(Math.round(units.images)) * (nano(price.image) ?? 0n) +
      BigInt(Math.round(units.seconds)) * (nano(price.second) ?? 0n) +
      BigInt(Math.round(units.searches)) * (nano(price.search) ?? 0n)
    return formatUsd(perMillion / million + each)
  } catch {
    return undefined
  }
}
