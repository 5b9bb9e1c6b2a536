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
  losses: LossRow[]
  firstTokenMs: number | null
  totalMs: number
  /** Administrators only. */
  attempts?: AttemptRow[]
}
