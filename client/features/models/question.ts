/** The calculator's request: the units a model is billed by, and the amounts typed. */
import type { CostQuestion } from '#shared/console/inspection/cost'
import type { ModelRow } from '#shared/console/model'
import { type PriceFields, priceUnits } from '#shared/console/price'

/** What a price is for. */
export type Unit = (typeof priceUnits)[number]

const usualTokens = { input: '1000', output: '500' } as const

/** The amounts that can be typed for this price, with their initial values. A request counts as one. */
export function unitsOf(price: PriceFields): Map<Unit, string> {
  const asked = priceUnits.filter(
    (unit) => unit !== 'request' && (price[unit] !== undefined || (unit === 'cacheRead' && price.input !== undefined)),
  )
  const inTokens = price.input !== undefined
  return new Map(asked.map((unit) => [unit, usualTokens[unit as keyof typeof usualTokens] ?? (inTokens ? '' : '1')]))
}

/** The values of the price's factors, by field. */
export const waysOf = ({ factors = {} }: PriceFields): (readonly [field: Way, words: string[]])[] =>
  (Object.keys(factors) as Way[]).map((field) => [field, Object.keys(factors[field] ?? {})] as const)

/** A field of `servedAs`. */
export type Way = keyof NonNullable<CostQuestion['servedAs']>

/** Whether this can be an amount: a whole number, or nothing. */
export const isAmount = (text: string): boolean => /^\d{0,9}$/.test(text.trim())

/** The request; undefined if an amount is not valid. */
export function questionOf(
  { id }: Pick<ModelRow, 'id'>,
  group: string,
  amounts: ReadonlyMap<Unit, string>,
  ways: Readonly<Partial<Record<Way, string>>>,
): CostQuestion | undefined {
  if (![...amounts.values()].every(isAmount)) return undefined
  const typed = [...amounts].flatMap(([unit, text]) => (text.trim() === '' ? [] : [[unit, Number(text)]]))
  const chosen = Object.entries(ways).filter(([, word]) => word !== '')
  return {
    ...{ model: id, group, amounts: Object.fromEntries(typed) },
    ...(chosen.length > 0 && { servedAs: Object.fromEntries(chosen) }),
  }
}
