/** How far the last word of the database can be trusted: whether leases may still be spent, and whether it is worth asking again. */
import type { Clock } from '#runtime/clock'
import type { Log } from '#runtime/log'

export interface Trust {
  /** A call that was sent then has been answered. */
  heard(sentAt: Instant): void
  /** A call was not answered; `why` is for the program's log. */
  lost(why: unknown): void
  /** Whether the last call was answered. */
  answering(): boolean
  /** Since when (monotonic) all of them were; undefined when the last one was not. */
  since(): number | undefined
  /** Whether what is on lease may be spent. */
  valid(): boolean
  /** A hold was taken, or sent away because nobody answers. */
  served(): void
  sentAway(): void
  /** Most who come now are sent away. */
  refusing(): boolean
}

export interface Instant {
  tick: number
  wall: number
}

/** Milliseconds. */
const servedMs = 2_000

/** `validMs`: how long leases may be spent after the last word of the database. */
export function createTrust(clock: Clock, validMs: number, log: Log): Trust {
  const bound = validMs * 0.99
  let last: Instant = { tick: Number.NEGATIVE_INFINITY, wall: 0 }
  let since: number | undefined = clock.monotonic()
  let [servedAt, awayAt] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY]

  return {
    heard(sentAt) {
      if (since === undefined) log.info({}, 'the database answers again')
      since ??= clock.monotonic()
      last = sentAt
    },
    lost(why) {
      if (since !== undefined) log.warn({ err: why }, 'the database does not answer')
      since = undefined
    },
    answering: () => since !== undefined,
    since: () => since,
    /**
     * By both clocks: one stands still while the machine sleeps, the other may be set. A call whose outcome is not known takes nothing
     * away from this: what it gives back was taken off before, what it settles still counts as owed, what it takes comes on top.
     */
    valid: () => clock.monotonic() - last.tick < bound && Math.abs(clock.now() - last.wall) < bound,
    served() {
      servedAt = clock.monotonic()
    },
    sentAway() {
      awayAt = clock.monotonic()
    },
    refusing: () => awayAt > servedAt && clock.monotonic() - servedAt > servedMs,
  }
}
