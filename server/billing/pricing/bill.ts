/** The cost of a request as a verifiable formula: amounts at prices, times the ratio, rounded up. Pure. */
import type { Bill, BillLine, LogRow } from '#shared/console/log'
import { formatDecimal, formatUsd, parseDecimal, parseRatio, parseUsd } from '#shared/money'
import { type CostPart, partsOf } from './cost.ts'
import { resolveRates } from './rates.ts'

/** Priced by the piece; everything else by the million. */
const pieces = new Set(['request', 'image', 'second', 'search'])
const million = 1_000_000n

/** Decimal places: of the product of three factors; of US dollars, a nano-dollar per million times that; and of that times a millionth. */
const factorPlaces = 18
const sumPlaces = 15 + factorPlaces
const exactPlaces = sumPlaces + 6

/** One line of a bill as the console shows it: prices in US dollars, per piece or per million. */
export function billLine({ unit, amount, price, tier, factor }: CostPart): BillLine {
  const piece = pieces.has(unit)
  return {
    unit,
    amount: Number(amount),
    price: formatUsd(piece ? price / million : price),
    per: piece ? 1 : 1_000_000,
    ...(tier !== undefined && { tier }),
    ...(factor !== undefined && { factor }),
  }
}

/**
 * The bill of a usage row, from its price snapshot or from the lines it carries; free units are left out. Null where nothing was
 * used. If this build reads the snapshot differently from the build that wrote it, the difference shows in `rounding`.
 */
export function billOf({ usage, price, cost }: Pick<LogRow, 'usage' | 'price' | 'cost'>, carried: BillLine[] | null): Bill | null {
  if (usage === null || price === null) return null
  const { ratio, ...fields } = price
  const parts = carried ?? partsOf(usage, resolveRates(fields)).map(billLine)
  const lines = parts.filter((line) => line.price !== '0')
  const amountOf = ({ amount, price, per, factor = '1' }: BillLine) =>
    BigInt(amount) * parseUsd(price) * (per === 1 ? million : 1n) * parseDecimal(factor, factorPlaces)
  const sum = lines.reduce((total, line) => total + amountOf(line), 0n)
  const rounding = parseDecimal(cost, exactPlaces) - sum * parseRatio(ratio)
  return { lines, sum: formatDecimal(sum, sumPlaces), ratio, rounding: formatDecimal(rounding, exactPlaces), cost }
}
