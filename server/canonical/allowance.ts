/** What a caller's own limits leave, as clients are told. */

/** The tightest limit of one kind. */
export interface Allowance {
  /** Per minute. */
  limit: number
  remaining: number
  /** Milliseconds until all of it is there again. */
  resetMs: number
}

export interface Allowances {
  requests?: Allowance
  tokens?: Allowance
}
