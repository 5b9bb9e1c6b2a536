/** Limits the bytes of large bodies that are in memory or on disk at a time, per caller and in total. */
import type { Caller } from '#accounts/caller'

/** One request's share. */
export interface BodyRoom {
  /**
   * Reserves this many bytes in total, including what was reserved before. Throws GatewayError `rate_limit_exceeded` when the caller's
   * share is used up, `overloaded` when everything is.
   */
  grow(bytes: number): void
  /** Releases it; safe to call again. */
  release(): void
}

/** Asks, before a large body is read, whether its caller could be served at all. */
export interface Intake {
  /**
   * Reserves room for the body's declared length; the caller must release it, and grow it as more arrives. Rejects with
   * `rate_limit_exceeded`, `insufficient_quota` or `overloaded`, and as `Limiter.refusal` and `Books.affords` do.
   */
  admit(asked: { caller: Caller; bytes: number; isSpooled?: boolean }): Promise<BodyRoom>
}

/** The limits for bodies in memory, and for those spooled to disk. */
export interface BodyRooms {
  /** `caller`: any id. */
  open(caller: string, isSpooled?: boolean): BodyRoom
}
