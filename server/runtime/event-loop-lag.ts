/**
 * Whether this process is asked for more than it can do. A busy event loop does not come to its timers, so for each request it is looked
 * how long a timer has been due, and how long it would have to wait for its turn behind those that came before it. A burst of requests, or
 * one long task, makes others wait but is no overload: only when so many have been taken while the loop was behind does overload begin.
 * From then on whoever would wait for more than a moment is refused, so that the others are served soon, until nobody has to be.
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
/** How often it is looked while nothing is asked: each look wakes the processor. */
const idleMs = 250
/** Requests that are taken at once, however long they have to wait. */
const burst = 2_000
/** How much of the burst comes back each time that the loop is found in time. */
const back = burst / 10
/** Milliseconds that a request may have to wait for its turn while there is overload. */
const shortWait = 5

/** Measures from now until `stop`. `maxMs`: how late the loop may be. */
export function createLagMeter(clock: Pick<Clock, 'monotonic' | 'after'>, maxMs: number): LagMeter {
  let timer: Timer
  let due = 0
  let left = burst
  let worst = 0
  /** The longest that a request would have waited since the timer was due. */
  let longestWait = 0
  /** Whether anything was asked since the timer was planned. */
  let isAsked = true
  let isIdle = false

  function plan(): void {
    const now = clock.monotonic()
    if (due > 0) worst = Math.max(worst, now - due)
    if (now - due <= maxMs && longestWait <= (left === 0 ? shortWait : maxMs)) left = isIdle ? burst : Math.min(burst, left + back)
    longestWait = 0
    isIdle = !isAsked
    isAsked = false
    wake(now, isIdle ? idleMs : everyMs)
  }

  function wake(now: number, inMs: number): void {
    due = now + inMs
    timer = clock.after(inMs, plan)
  }

  /** Somebody asks again: from now on it is looked often. A timer that is late stays so. */
  function hurry(): void {
    isIdle = false
    const now = clock.monotonic()
    if (due - now <= everyMs) return
    timer.cancel()
    wake(now, everyMs)
  }

  plan()
  return {
    isTooMuch(waitMs) {
      isAsked = true
      if (isIdle) hurry()
      const wait = waitMs ?? 0
      longestWait = Math.max(longestWait, wait)
      const isLate = wait > maxMs || clock.monotonic() - due > maxMs
      if (isLate && left > 0) left -= 1
      if (left > 0) return false
      // Refusing takes time as well: a flood alone keeps the loop from its timers.
      return waitMs === undefined ? isLate : waitMs > shortWait
    },
    takeWorst() {
      const longest = Math.max(worst, clock.monotonic() - due)
      worst = 0
      return Math.max(0, longest)
    },
    stop: () => timer.cancel(),
  }
}
