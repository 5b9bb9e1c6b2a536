/** The tiers of a price as form values. */
import type { PriceFields } from '#shared/console/price'

/** Prices of tokens, in the order of the form. */
export const tokenFields = [
  ...(['input', 'output', 'cacheRead', 'cacheWrite5m', 'cacheWrite1h', 'reasoning'] as const),
  ...(['audioIn', 'audioOut', 'imageIn', 'imageOut'] as const),
]
export type TokenField = (typeof tokenFields)[number]

/** A tier: the input tokens above which it applies, and its prices; empty ones fall back to the base price. */
export type TypedTier = { above: string } & Partial<Record<TokenField, string>>

/** The form values for the tiers of a price. */
export const typedTiers = (tiers: PriceFields['tiers']): TypedTier[] =>
  (tiers ?? []).map(({ above, ...prices }) => ({ ...prices, above: String(above) }))

/** The fields shown for a tier: input, output, and those set in the price or the tier itself. */
export const shownFields = (tier: TypedTier, base: Partial<Record<TokenField, string>>): TokenField[] =>
  tokenFields.filter((name) => name === 'input' || name === 'output' || tier[name] || base[name]?.trim())

/** The typed tokens, with or without separators; undefined unless a whole number above zero. */
export function tokensOf(above: string): number | undefined {
  const digits = above.replace(/[\s,._’']/g, '')
  return /^[1-9]\d{0,9}$/.test(digits) ? Number(digits) : undefined
}

/** The tiers for the API; undefined if one has no valid number of tokens. */
export function tiersOf(typed: readonly TypedTier[]): PriceFields['tiers'] | undefined {
  const tiers: NonNullable<PriceFields['tiers']> = []
  for (const { above, ...prices } of typed) {
    const tokens = tokensOf(above)
    if (tokens === undefined) return undefined
    const named = Object.entries(prices).flatMap(([name, price]) => (price?.trim() ? [[name, price.trim()]] : []))
    tiers.push({ above: tokens, ...Object.fromEntries(named) })
  }
  return tiers
}
