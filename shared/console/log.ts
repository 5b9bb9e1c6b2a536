/** Usage rows as the console returns them: one per request, readable as soon as the client has the last byte. */
import type { End, Operation, Provenance, Wire } from '../ids.ts'
import type { PriceFields } from './price.ts'

/** What a request used, in tokens and other units. */
export interface UsageRow {
  in: { fresh: number; cacheRead: number; cacheWrite: { '5m': number; '1h': number; other: number }; audio: number; image: number }
  out: { total: number; reasoning: number; audio: number; image: number }
  units: { requests: number; images: number; seconds: number; characters: number; searches: number }
  provenance: Provenance
  /** How its tokens are priced, by the values of the price's factors; absent: no factor applies. */
  servedAs?: { service_tier?: string; speed?: string; inference_geo?: string; size?: string }
  /** The upstream's own usage object, unchanged. */
  raw: unknown
}

/** One try on one channel. */
export interface AttemptRow {
  channel: string
  /** The model, when a fallback replaced the requested one. */
  model?: string
  key: string | null
  /** The format used with the upstream, where it differs from the client's. */
  dialect?: Wire
  phase: 'connect' | 'first-event' | 'stream' | 'done'
  /** The upstream's HTTP status, when there was one. */
  status: number | null
  /** Why the attempt ended, as an error code; null when it delivered. */
  cause: string | null
  ms: number
}

/** What a conversion changed or dropped. */
export interface LossRow {
  field: string
  what: 'adapted' | 'dropped'
  reason: string
}

/** A line of a bill: quantity, unit and price. */
export interface BillLine {
  /** The name of its price: `input`, `cacheRead`, `image`, ... */
  unit: string
  amount: number
  /** USD for `per` units. */
  price: string
  per: 1 | 1_000_000
  /** The price is that of the tier for input above this many tokens. */
  tier?: number
  /** What the price is multiplied by. */
  factor?: string
}

/** How a cost was computed, in USD: the lines add up to `sum`, and `sum * ratio + rounding = cost`, exactly. */
export interface Bill {
  lines: BillLine[]
  sum: string
  ratio: string
  /** Rounding up to the next nano-dollar, once per request; in a realtime session once per answer. */
  rounding: string
  cost: string
}

/** A row of GET /api/logs. */
export interface LogRow {
  requestId: string
  at: string
  /** Who sent it. For administrators, and in rows of a team; null where the member had left the team. */
  user?: { id: string; name: string | null } | null
  /** The team that paid; absent where the user did. */
  team?: { id: string; name: string | null }
  key: string | null
  group: string
  /** As requested. */
  model: string
  /** The model that answered and whose price applies, when a fallback replaced the requested one. */
  answeredModel?: string
  /** The batch that it belongs to. */
  batch?: string
  /** Administrators only. */
  upstreamModel?: string | null
  /** Administrators only. */
  channel?: string | null
  operation: Operation
  dialect: Wire
  stream: boolean
  status: number
  end: End
  /** Number of refused requests of the same key and cause in that minute that this row stands for, including itself. */
  repeats?: number
  /** `count`: the same as `repeats`. */
  error: { code: string; message: string; count?: number } | null
  usage: UsageRow | null
  provenance: Provenance | null
  /** USD. */
  cost: string
  /** USD: what was taken from the wallet; less than `cost` where the balance did not cover it. */
  charged: string
  /**
   * Whether `charged` is final. False only for requests that a copied or moved data folder took over as interrupted: the real end may still
   * arrive within a day, and then replaces the row.
   */
  settled: boolean
  price: (PriceFields & { ratio: string }) | null
  /** Only in the response for a single row; null when nothing was used. */
  bill?: Bill | null
  /** Only in the response for a single row: whether its bodies are stored. */
  stored?: boolean
  /** USD that the upstream charges, by the `costs` of its channel; null when those do not name the model. Administrators only. */
  upstreamCost?: string | null
  /** `cost - upstreamCost`. Administrators only. */
  margin?: string | null
  /** What `upstreamCost` was computed from. Administrators only. */
  upstreamPrice?: PriceFields | null
  losses: LossRow[]
  firstTokenMs: number | null
  totalMs: number
  /** The kept request that this one repeats. */
  replayOf?: string
  /** Administrators only. */
  attempts?: AttemptRow[]
}
