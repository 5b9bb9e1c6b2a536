/** Prices as people write them: decimal strings in USD per million tokens, each, or per million characters. */
import { Exact, Int, type Static, Type } from '../typebox.ts'

/**
 * The largest price for which, at the largest ratio of a group (100), a billion tokens or nine thousand units still fit into the
 * ledger's amounts.
 */
const Price = () =>
  Type.String({
    format: 'decimal',
    maxLength: 24,
    pattern: '^(\\d{1,4}(\\.\\d+)?|10000(\\.0+)?)$',
    description: 'a decimal number of USD from 0 to 10000, with up to 9 places',
  })

const tokens = {
  input: Type.Optional(Price()),
  output: Type.Optional(Price()),
  cacheRead: Type.Optional(Price()),
  cacheWrite5m: Type.Optional(Price()),
  cacheWrite1h: Type.Optional(Price()),
  reasoning: Type.Optional(Price()),
  audioIn: Type.Optional(Price()),
  audioOut: Type.Optional(Price()),
  imageIn: Type.Optional(Price()),
  imageOut: Type.Optional(Price()),
}

/** The price of one model: `prices.<model>` in parley.yaml, PUT /api/prices/:model. Absent prices fall back to related ones. */
export const PriceFields = Exact({
  ...tokens,
  request: Type.Optional(Price()),
  image: Type.Optional(Price()),
  second: Type.Optional(Price()),
  search: Type.Optional(Price()),
  character: Type.Optional(Price()),
  /** Token prices for input larger than `above` tokens. */
  tiers: Type.Optional(Type.Array(Exact({ above: Int(1, 1_000_000_000), ...tokens }), { maxItems: 16 })),
})
export type PriceFields = Static<typeof PriceFields>

/** A row of GET /api/prices. */
export type PriceRow = PriceFields & { model: string; managed: 'file' | 'console' }
