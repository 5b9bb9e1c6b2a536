/** Bytes of large bodies that are read or kept at once, of each caller and of all. */
import type { Caller } from '#accounts/caller'

/** What one request takes of it. */
export interface BodyRoom {
  /**
   * Takes room for so many bytes in all; what was taken before stays. Throws GatewayError `rate_limit_exceeded` where the caller has none
   * left, `overloaded` where nobody has.
   */
  grow(bytes: number): void
  /** Gives it back; safe to call again. */
  release(): void
}

/** Asks, before a large body is read, whether its caller could be served at all. */
export interface Intake {
  /**
   * Takes room for the body as its headers say, to be given back; it grows with what arrives. Rejects with `rate_limit_exceeded`,
   * `insufficient_quota` or `overloaded`, and as `Limiter.refusal` and `Books.affords` do.
   */
  admit(asked: { caller: Caller; bytes: number; isSpooled?: boolean }): Promise<BodyRoom>
}

/** The room for bodies in memory, and for those that wait on the disk. */
export interface BodyRooms {
  /** `caller`: any id. */
  open(caller: string, isSpooled?: boolean): BodyRoom
}
