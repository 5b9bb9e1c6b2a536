/** A point in time by both clocks: the monotonic one stands still while the machine sleeps, the other may be set. */
import type { Clock } from '#runtime/clock'

/** Both in milliseconds. */
export interface Moment {
  tick: number
  wall: number
}

/** The present moment. */
export const momentOf = (clock: Clock): Moment => ({ tick: clock.monotonic(), wall: clock.now() })

/** Whether less than `ms` milliseconds have passed since `from`, by either clock. */
export const isWithin = (ms: number, from: Moment, now: Moment): boolean => now.tick - from.tick < ms && Math.abs(now.wall - from.wall) < ms
