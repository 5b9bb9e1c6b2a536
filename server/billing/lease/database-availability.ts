/**
 * How long the last answer of the database stays valid: whether leases may still be spent, and whether to call again. Moments
 * are read from two clocks.
 */

import type { Clock } from '#runtime/clock'

/** What is known of the database from its last answer. */
export interface DatabaseAvailability {
  /** A call that was sent then has been answered. */
  answered(sentAt: Moment): void
  /** A call was not answered. */
  failed(error: unknown): void
  /** When the last answered call was sent. */
  lastAnsweredAt(): Moment
  /** Whether the last call was answered. */
  isAnswering(): boolean
  /** Since when (monotonic milliseconds) all calls were answered; undefined when the last one was not. */
  answeringSince(): number | undefined
  /** Whether leased money may be spent at that moment. */
  isValid(now: Moment): boolean
  /** The same as numbers, for checks on every request. */
  readonly validity: Readonly<Validity>
}

/** When leases may be spent. */
export interface Validity {
  /** Before this moment of the monotonic clock. */
  tick: number
  /** Between these moments of the wall clock, which keeps running while the machine sleeps. */
  wallFrom: number
  wallTo: number
}

/** Called, for the log, when the database stops answering and when it answers again. */
export interface AvailabilityEvents {
  away(error: unknown): void
  back(): void
}

/** `validMs`: for how many milliseconds leases may be spent after the last answer of the database. */
export function createDatabaseAvailability(clock: Clock, validMs: number, { away, back }: AvailabilityEvents): DatabaseAvailability {
  const bound = validMs * 0.99
  let last: Moment = { tick: Number.NEGATIVE_INFINITY, wall: 0 }
  const validity: Validity = { tick: Number.NEGATIVE_INFINITY, wallFrom: 0, wallTo: 0 }
  let since: number | undefined = clock.monotonic()

  return {
    answered(sentAt) {
      if (since === undefined) {
        back()
        since = clock.monotonic()
      }
      last = sentAt
      validity.tick = sentAt.tick + bound
      validity.wallFrom = sentAt.wall - bound
      validity.wallTo = sentAt.wall + bound
    },
    failed(error) {
      if (since !== undefined) away(error)
      since = undefined
    },
    lastAnsweredAt: () => last,
    isAnswering: () => since !== undefined,
    answeringSince: () => since,
    /**
     * A call with an unknown outcome does not invalidate this: what it gives back was already deducted, what it settles still
     * counts as owed, what it takes is extra.
     */
    isValid: ({ tick, wall }) => tick < validity.tick && wall > validity.wallFrom && wall < validity.wallTo,
    validity,
  }
}

/** Both in milliseconds. */
export interface Moment {
  tick: number
  wall: number
}

/** The current moment. */
export const momentOf = (clock: Clock): Moment => ({ tick: clock.monotonic(), wall: clock.now() })

/** Whether less than `ms` milliseconds have passed since `from`, by either clock. */
export const isWithin = (ms: number, from: Moment, now: Moment): boolean => now.tick - from.tick < ms && Math.abs(now.wall - from.wall) < ms
