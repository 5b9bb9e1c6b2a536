/** A complete price as form values: amounts, tiers and factors. */
import type { PriceFields } from '#shared/console/price'
import { factorsOf, type TypedFactor } from './factors.ts'
import { type TypedTier, tiersOf, tokenFields } from './tiers.ts'

/** The price for the API, or the part that is invalid. */
export type TypedPrice = { price: PriceFields; wrong?: undefined } | { price?: undefined; wrong: 'tiers' | 'factors' }

/** Puts the parts together; empty amounts are left out. */
export function typedPrice(
  amounts: Readonly<Record<string, string>>,
  tiers: readonly TypedTier[],
  factors: readonly TypedFactor[],
): TypedPrice {
  const named = tiersOf(tiers)
  if (named === undefined) return { wrong: 'tiers' }
  const multiplied = factorsOf(factors)
  if (multiplied === undefined) return { wrong: 'factors' }
  const price: PriceFields = Object.fromEntries(
    Object.entries(amounts).flatMap(([name, value]) => (value.trim() === '' ? [] : [[name, value.trim()]])),
  )
  return {
    price: {
      ...price,
      ...(named.length > 0 && { tiers: named }),
      ...(Object.keys(multiplied).length > 0 && { factors: multiplied }),
    },
  }
}

/** Whether the API would accept it: well-formed amounts, and an input price if there is any token price. */
export function isPrice({ tiers = [], factors: _, ...amounts }: PriceFields): boolean {
  const named = [amounts, ...tiers].flatMap((one) => Object.values(one))
  const names = Object.keys(amounts)
  return (
    names.length > 0 &&
    named.every((amount) => typeof amount !== 'string' || /^\d{1,5}(\.\d{1,9})?$/.test(amount)) &&
    (amounts.input !== undefined || (tiers.length === 0 && !tokenFields.some((name) => names.includes(name))))
  )
}
