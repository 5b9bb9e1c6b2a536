/** GET /api/usage: totals over a span of time. Users see their own usage, administrators all. */

/** Dimensions by which usage can be grouped. */
export const usageKeys = ['model', 'key', 'user', 'team', 'group', 'channel', 'hour', 'day'] as const
/** A dimension of the report. */
export type UsageKey = (typeof usageKeys)[number]

interface Named {
  id: string
  /** Its current or last known name; null when unknown. */
  name: string | null
}

/** Milliseconds, to within 5 percent. */
export interface Percentiles {
  p50: number
  p95: number
  p99: number
}

/** Sums over some requests. */
export interface UsageTotals {
  requests: number
  /** Requests that ended in an error or were cut off by the upstream. */
  errors: number
  tokens: {
    in: { fresh: number; cacheRead: number; cacheWrite: number; audio: number; image: number }
    out: { total: number; reasoning: number; audio: number; image: number }
  }
  units: { images: number; seconds: number; characters: number; searches: number }
  /** USD, by the prices of each request. */
  cost: string
  /** USD: what was taken from wallets. The sum of the ledger's entries for the same requests, exactly. */
  charged: string
  /** USD, over the requests whose channel declares its costs; null where none does. Administrators only. */
  upstreamCost?: string | null
  /** `cost - upstreamCost` of the same requests. Administrators only. */
  margin?: string | null
  latency: { total: Percentiles | null; firstToken: Percentiles | null }
}

/** Sums with the dimensions named by `by`. */
export interface UsageReportRow extends UsageTotals {
  model?: string
  /** Null: without a key, in the playground. */
  key?: Named | null
  /** Who sent the requests; null: members who have left their team. */
  user?: Named | null
  /** The team that paid; null: users did. */
  team?: Named | null
  group?: string
  /** Null: no channel answered. Administrators only. */
  channel?: string | null
  /** Its first instant, RFC 3339, UTC. */
  hour?: string
  /** A date in the requested time zone. */
  day?: string
}
