/**
 * Detects overload of this process. A busy event loop is late with its timers, so each request checks how long a timer has been due, and
 * how long the request would be queued behind earlier ones. A burst of requests, or one long task, makes others wait but is no overload:
 * overload begins only when a whole burst has been accepted while the loop was late. From then on requests that would wait for more than a
 * moment are refused, so that the others are served soon, until the loop has caught up.
 */
import type { Clock, Timer } from './clock.ts'

export interface LagMeter {
  /** Counts a request; true when it must be refused. `waitMs`: how long it would be queued; absent: there is no queue. */
  isTooMuch(waitMs?: number): boolean
  /** The longest delay since the last call, in milliseconds. */
  takeWorst(): number
  stop(): void
}

const everyMs = 20
/** Milliseconds between checks while there are no requests: each check wakes the processor. */
const idleMs = 250
/** Requests that are accepted in a burst, however long they have to wait. */
const burst = 2_000
/** How much of the burst is restored each time that the loop is on time. */
const back = burst / 10
/** Milliseconds that a request may be queued during overload. */
const shortWait = 5

/** Measures until `stop`. `maxMs`: how late the loop may be. */
export function createLagMeter(clock: Pick<Clock, 'monotonic' | 'after'>, maxMs: number): LagMeter {
  let timer: Timer
  let due = 0
  let left = burst
  let worst = 0
  /** The longest that a request would have waited since the timer was due. */
  let longestWait = 0
  /** Whether any request arrived since the timer was set. */
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

  /** Requests arrive again: check more often. A late timer stays late. */
  function checkOften(): void {
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
      if (isIdle) checkOften()
      const wait = waitMs ?? 0
      longestWait = Math.max(longestWait, wait)
      const isLate = wait > maxMs || clock.monotonic() - due > maxMs
      if (isLate && left > 0) left -= 1
      if (left > 0) return false
      // Refusing takes time as well: a flood alone delays the timers.
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
