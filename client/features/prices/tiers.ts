/** The tiers of a price, as they are typed. */
import type { PriceFields } from '#shared/console/price'

/** Prices of tokens, in the order of the form. */
export const tokenFields = [
  ...(['input', 'output', 'cacheRead', 'cacheWrite5m', 'cacheWrite1h', 'reasoning'] as const),
  ...(['audioIn', 'audioOut', 'imageIn', 'imageOut'] as const),
]
export type TokenField = (typeof tokenFields)[number]

/** A tier: the tokens of input above which it holds, and its prices; what is empty costs what it costs below. */
export type TypedTier = { above: string } & Partial<Record<TokenField, string>>

/** What is typed for the tiers of a price. */
export const typedTiers = (tiers: PriceFields['tiers']): TypedTier[] =>
  (tiers ?? []).map(({ above, ...prices }) => ({ ...prices, above: String(above) }))

/** The fields to show of a tier: input, output, and whatever the price or the tier itself names. */
export const shownFields = (tier: TypedTier, base: Partial<Record<TokenField, string>>): TokenField[] =>
  tokenFields.filter((name) => name === 'input' || name === 'output' || tier[name] || base[name]?.trim())

/** The tokens that were typed, with or without separators; undefined for what is no whole number above zero. */
export function tokensOf(above: string): number | undefined {
  const digits = above.replace(/[\s,._’']/g, '')
  return /^[1-9]\d{0,9}$/.test(digits) ? Number(digits) : undefined
}

/** The tiers for the API; undefined where one has no number of tokens. */
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
