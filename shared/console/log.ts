/** Usage rows as the console answers them: one per request, readable from the moment the client has the last byte. */
import type { End, Operation, Provenance, Wire } from '../ids.ts'
import type { PriceFields } from './price.ts'

/** What a request used, in tokens and other units. Shape: DESIGN section 3. */
export interface UsageRow {
  in: { fresh: number; cacheRead: number; cacheWrite: { '5m': number; '1h': number; other: number }; audio: number; image: number }
  out: { total: number; reasoning: number; audio: number; image: number }
  units: { requests: number; images: number; seconds: number; characters: number; searches: number }
  provenance: Provenance
  /** The upstream's own usage object, as it came. */
  raw: unknown
}

export interface AttemptRow {
  channel: string
  /** The model, where another stood in for the one that was asked for. */
  model?: string
  key: string | null
  phase: 'connect' | 'first-event' | 'stream' | 'done'
  /** The upstream's HTTP status, when there was one. */
  status: number | null
  /** Why the attempt ended, as an error code; null when it delivered. */
  cause: string | null
  ms: number
}

export interface LossRow {
  field: string
  what: 'adapted' | 'dropped'
  reason: string
}

/** How much of what, at which price. */
export interface BillLine {
  /** As prices name it: `input`, `cacheRead`, `image`, ... */
  unit: string
  amount: number
  /** USD for `per` units. */
  price: string
  per: 1 | 1_000_000
  /** The price is that of the tier for input above so many tokens. */
  tier?: number
}

/** Why a request costs what it costs: the lines add up to `sum`, and `sum * ratio + rounding = cost`, exactly. In USD. */
export interface Bill {
  lines: BillLine[]
  sum: string
  ratio: string
  /** Up to the next nano-dollar, once; in a session once for each answer. */
  rounding: string
  cost: string
}

export interface LogRow {
  requestId: string
  at: string
  key: string | null
  group: string
  /** As it was asked for. */
  model: string
  /** The model that answered and whose price holds, where another stood in for the one that was asked for. */
  answeredModel?: string
  /** Administrators only. */
  upstreamModel?: string | null
  /** Administrators only. */
  channel?: string | null
  operation: Operation
  dialect: Wire
  stream: boolean
  status: number
  end: End
  error: { code: string; message: string } | null
  usage: UsageRow | null
  provenance: Provenance | null
  /** USD. */
  cost: string
  price: (PriceFields & { ratio: string }) | null
  /** Only where one row is asked for; null where nothing was used. */
  bill?: Bill | null
  /** USD: what the upstream charges, by the `costs` of its channel; null where those do not name the model. Administrators only. */
  upstreamCost?: string | null
  /** `cost - upstreamCost`. Administrators only. */
  margin?: string | null
  /** What `upstreamCost` was computed from. Administrators only. */
  upstreamPrice?: PriceFields | null
  losses: LossRow[]
  firstTokenMs: number | null
  totalMs: number
  /** Administrators only. */
  attempts?: AttemptRow[]
}
