/** The cost of a request as a formula that anyone can check: amounts at prices, times the ratio, rounded up. Pure. */
import type { Bill, BillLine, LogRow } from '#shared/console/log'
import { formatDecimal, formatUsd, parseDecimal, parseRatio, parseUsd } from '#shared/money'
import { type CostPart, partsOf } from './cost.ts'
import { resolveRates } from './rates.ts'

/** Sold by the piece; everything else by the million. */
const pieces = new Set(['request', 'image', 'second', 'search'])
const million = 1_000_000n

/** USD: a nano-dollar per million, and that times a millionth. */
const sumPlaces = 15
const exactPlaces = 21

export function billLine({ unit, amount, price, tier }: CostPart): BillLine {
  const piece = pieces.has(unit)
  return {
    unit,
    amount: Number(amount),
    price: formatUsd(piece ? price / million : price),
    per: piece ? 1 : 1_000_000,
    ...(tier !== undefined && { tier }),
  }
}

/**
 * Of a usage row, from its own snapshot or the lines that it carries; what is free is left out. Null where nothing was used. A row whose snapshot this
 * build reads in another way than the one that made it shows that in `rounding`.
 */
export function billOf({ usage, price, cost }: Pick<LogRow, 'usage' | 'price' | 'cost'>, carried: BillLine[] | null): Bill | null {
  if (usage === null || price === null) return null
  const { ratio, ...fields } = price
  const parts = carried ?? partsOf(usage, resolveRates(fields)).map(billLine)
  const lines = parts.filter((line) => line.price !== '0')
  const sum = lines.reduce((total, line) => total + BigInt(line.amount) * parseUsd(line.price) * (line.per === 1 ? million : 1n), 0n)
  const rounding = parseDecimal(cost, exactPlaces) - sum * parseRatio(ratio)
  return { lines, sum: formatDecimal(sum, sumPlaces), ratio, rounding: formatDecimal(rounding, exactPlaces), cost }
}
