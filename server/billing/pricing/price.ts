/** Prices ready for arithmetic: every fallback filled in, nano-dollars per million units as bigint. */
import type { FactorField, PriceFields, PriceRow } from '#shared/console/price'

/** Nano-dollars per million tokens. */
export interface TokenRates {
  input: bigint
  output: bigint
  cacheRead: bigint
  cacheWrite5m: bigint
  cacheWrite1h: bigint
  reasoning: bigint
  audioIn: bigint
  audioOut: bigint
  imageIn: bigint
  imageOut: bigint
}

/** Nano-dollars per million units; a price per piece is multiplied by 10^6. */
export interface Rates extends TokenRates {
  request: bigint
  image: bigint
  second: bigint
  search: bigint
  character: bigint
  /** Ascending by `above`; the last one with `above` less than the number of input tokens applies. */
  tiers: readonly { above: number; rates: TokenRates }[]
  /** Millionths by which the rates of tokens are multiplied, by field and word, and the rate of a second, by `size`; absent: none. */
  factors?: Readonly<Partial<Record<FactorField | 'size', ReadonlyMap<string, bigint>>>>
}

/** The price of one model. */
export interface Price {
  model: string
  /** As the operator wrote them, in US dollars. */
  fields: PriceFields
  rates: Rates
  managed: PriceRow['managed']
}

/** The price of every model that has one, from memory. A model without a price is not offered. */
export interface PriceBook {
  get(model: string): Price | undefined
  all(): IterableIterator<Price>
}
