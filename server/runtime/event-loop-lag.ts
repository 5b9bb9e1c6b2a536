/**
 * Whether this process is asked for more than it can do. A busy event loop does not come to its timers, so for each request it is looked
 * how long a timer has been due, and how long it would have to wait for its turn behind those that came before it. A burst of requests, or
 * one long task, makes others wait but is no overload: only when so many have been taken while the loop was behind is the next one too
 * much, until the loop has caught up. Refusing takes time as well, so that a flood alone keeps the loop from its timers: a few are taken
 * whenever hardly anybody waits.
 */
import type { Clock, Timer } from './clock.ts'

export interface LagMeter {
  /** Counts a request; true when it is one too many. `waitMs`: how long it would wait for its turn; absent: nobody waits here. */
  isTooMuch(waitMs?: number): boolean
  /** The longest delay since the last call, in milliseconds. */
  takeWorst(): number
  stop(): void
}

const everyMs = 20
/** Requests that are taken at once, however long they have to wait. */
const burst = 2_000
/** How much of the burst comes back each time that the loop is found in time. */
const back = burst / 10
/** Milliseconds: whoever would wait for less is one of a few. */
const shortWait = 3

/** Measures from now until `stop`. `maxMs`: how late the loop may be. */
export function createLagMeter(clock: Pick<Clock, 'monotonic' | 'after'>, maxMs: number): LagMeter {
  let timer: Timer
  let due = 0
  let left = burst
  let worst = 0
  /** The longest that a request would have waited since the timer was due. */
  let longestWait = 0

  function plan(): void {
    const now = clock.monotonic()
    if (due > 0) worst = Math.max(worst, now - due)
    if (now - due <= maxMs && longestWait <= maxMs) left = Math.min(burst, left + back)
    longestWait = 0
    due = now + everyMs
    timer = clock.after(everyMs, plan)
  }
  plan()
  return {
    isTooMuch(waitMs) {
      const wait = waitMs ?? 0
      longestWait = Math.max(longestWait, wait)
      if (wait <= maxMs && clock.monotonic() - due <= maxMs) return false
      if (left > 0) left -= 1
      return left === 0 && !(waitMs !== undefined && waitMs < shortWait)
    },
    takeWorst() {
      const longest = Math.max(worst, clock.monotonic() - due)
      worst = 0
      return Math.max(0, longest)
    },
    stop: () => timer.cancel(),
  }
}
