/** Prices as people write them: decimal strings in USD per million tokens, each, or per million characters. */
import { Decimal, Exact, Int, type Static, Type } from '../typebox.ts'

const tokens = {
  input: Type.Optional(Decimal()),
  output: Type.Optional(Decimal()),
  cacheRead: Type.Optional(Decimal()),
  cacheWrite5m: Type.Optional(Decimal()),
  cacheWrite1h: Type.Optional(Decimal()),
  reasoning: Type.Optional(Decimal()),
  audioIn: Type.Optional(Decimal()),
  audioOut: Type.Optional(Decimal()),
  imageIn: Type.Optional(Decimal()),
  imageOut: Type.Optional(Decimal()),
}

/** The price of one model: `prices.<model>` in parley.yaml, PUT /api/prices/:model. What is absent falls back as CONTRACT section 3 says. */
export const PriceFields = Exact({
  ...tokens,
  request: Type.Optional(Decimal()),
  image: Type.Optional(Decimal()),
  second: Type.Optional(Decimal()),
  search: Type.Optional(Decimal()),
  character: Type.Optional(Decimal()),
  /** Token prices that hold when the input is larger than `above` tokens. */
  tiers: Type.Optional(Type.Array(Exact({ above: Int(1, 1_000_000_000), ...tokens }), { maxItems: 16 })),
})
export type PriceFields = Static<typeof PriceFields>

/** A row of GET /api/prices. */
export type PriceRow = PriceFields & { model: string; managed: 'file' | 'console' }
