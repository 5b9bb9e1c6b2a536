/** Prices as people write them: decimal strings in USD per million tokens, each, or per million characters. */
import { Exact, Int, MapOf, type Static, Type } from '../typebox.ts'

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

const Factor = () =>
  Type.String({
    format: 'decimal',
    maxLength: 24,
    pattern: '^\\d{1,3}(\\.\\d{1,6})?$',
    description: 'a decimal number from 0 to 999, with up to 6 places',
  })

/** By a word of the field, in lower case: `priority`. */
const Factors = () => Type.Optional(MapOf(40, Factor(), '[a-z0-9_.-]'))

/** The fields of a request that change what its tokens cost, as the dialects spell them. */
export const factorFields = ['service_tier', 'speed', 'inference_geo'] as const
export type FactorField = (typeof factorFields)[number]

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
  /** What token prices are multiplied by by how an answer was served; `size`: the price of a second of video, by its size. */
  factors: Type.Optional(Exact({ service_tier: Factors(), speed: Factors(), inference_geo: Factors(), size: Factors() })),
})
export type PriceFields = Static<typeof PriceFields>

/** What prices are for, in the order of a bill. */
export const priceUnits = [
  ...(['input', 'output', 'cacheRead', 'cacheWrite5m', 'cacheWrite1h', 'reasoning', 'audioIn', 'audioOut', 'imageIn', 'imageOut'] as const),
  ...(['request', 'image', 'second', 'search', 'character'] as const),
] as const

/** A row of GET /api/prices. */
export type PriceRow = PriceFields & { model: string; managed: 'file' | 'console' }

/** POST /api/prices/effect: prices to try, by model. */
export const PriceTrial = Exact({ prices: MapOf(256, PriceFields) })
export type PriceTrial = Static<typeof PriceTrial>

/**
 * What the requests of some days would have cost at a price, in USD. `before`: the same at the current price; null where there is
 * none.
 */
export interface PriceEffect {
  model: string
  requests: number
  /**
   * `requests`: each request is priced as it would be billed, at the ratio of its own time. `sums`: an estimate from the sums of each group
   * at today's ratio, without tiers and factors, where the requests are too many or no longer stored.
   */
  basis: 'requests' | 'sums'
  /** Realtime sessions among requests that are priced one by one: each is priced as one, without tiers. */
  sessions: number
  before: string | null
  after: string
  /** Actual cost of these requests. */
  cost: string
}

/** The response: a row for each model asked about. */
export interface PriceEffects {
  from: string
  to: string
  data: PriceEffect[]
}

/** A row of GET /api/prices/:model/history, newest first: the amounts that changed. Null: there was no price before, or is none after. */
export interface PriceChange {
  at: string
  /** Id of a user or management key, or `file`. */
  actor: string
  actorName: string | null
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
}
