/** What remains of a caller's rate limits, as reported to clients. */

/** The tightest limit of one kind. */
export interface Allowance {
  /** Per minute. */
  limit: number
  remaining: number
  /** Milliseconds until it is fully replenished. */
  resetMs: number
}

/** The limits by kind; absent = unlimited. */
export interface Allowances {
  requests?: Allowance
  tokens?: Allowance
}
