/** The form of what the upstream charges for each model. */

import type { PriceFields } from '#shared/console/price'
import { isObject } from '#shared/json'
import { formatUsd, parseRatio, parseUsd } from '#shared/money'

/** Costs by model. */
export type Costs = Record<string, PriceFields>

/** The fields that the table shows; all others are in the JSON. */
export const shownCosts = ['input', 'output', 'cacheRead'] as const
export type ShownCost = (typeof shownCosts)[number]

/** The costs in this JSON; undefined if it is not an object. */
export function readCosts(text: string): Costs | undefined {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? (value as Costs) : undefined
  } catch {
    return undefined
  }
}

/** The JSON of these costs; empty for none. */
export const writeCosts = (costs: Costs): string => (Object.keys(costs).length === 0 ? '' : JSON.stringify(costs, null, 2))

/** The costs with this field of a model set; empty fields, and models without fields, are removed. */
export function withCost(costs: Costs, model: string, field: ShownCost, text: string): Costs {
  const { [field]: _, ...others } = costs[model] ?? {}
  const own = text.trim() === '' ? others : { ...costs[model], [field]: text.trim() }
  if (Object.keys(own).length > 0) return { ...costs, [model]: own }
  return Object.fromEntries(Object.entries(costs).filter(([name]) => name !== model))
}

/** Costs for models that have none: what callers pay, times this decimal. Undefined if it is not a decimal. */
export function filledCosts(costs: Costs, prices: ReadonlyMap<string, PriceFields>, factor: string): Costs | undefined {
  try {
    const times = parseRatio(factor.trim())
    const missing = [...prices].filter(([model]) => costs[model] === undefined)
    return { ...costs, ...Object.fromEntries(missing.map(([model, price]) => [model, scaled(price, times)])) }
  } catch {
    return undefined
  }
}

function scaled({ tiers, factors, ...amounts }: PriceFields, times: bigint): PriceFields {
  const each = (fields: object) => Object.fromEntries(Object.entries(fields).map(([name, usd]) => [name, multiplied(usd as string, times)]))
  return {
    ...each(amounts),
    ...(tiers && { tiers: tiers.map(({ above, ...tier }) => ({ above, ...each(tier) })) }),
    ...(factors && { factors }),
  }
}

const multiplied = (usd: string, millionths: bigint) => formatUsd((parseUsd(usd) * millionths + 500_000n) / 1_000_000n)

/** The margins for input and output as shares of the price; undefined if price or cost is unknown or the price is zero. */
export function marginsOf(price: PriceFields | undefined, cost: PriceFields | undefined): { input?: number; output?: number } {
  const share = (field: 'input' | 'output') => {
    const [charged, paid] = [Number(price?.[field] ?? Number.NaN), Number(cost?.[field] ?? Number.NaN)]
    return charged > 0 && paid >= 0 ? 1 - paid / charged : undefined
  }
  const [input, output] = [share('input'), share('output')]
  return { ...(input !== undefined && { input }), ...(output !== undefined && { output }) }
}
