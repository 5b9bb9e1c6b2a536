/**
 * A clock that jumps from one timer to the next, so that a test can check everything in between. Timers due at the same moment run in an
 * order chosen by the random source.
 */

import type { Clock } from '#runtime/clock'
import { sleeping } from './hand-clock.ts'

/** A clock that runs one timer at a time. */
export interface StepClock extends Clock {
  /** Runs the next timer and lets promises settle; false if no timer is pending. */
  step(): Promise<boolean>
  /** The time of the next timer. */
  next(): number | undefined
  /** Number of pending timers. */
  pending(): number
}

interface Waiting {
  at: number
  turn: number
  work: () => void
}

/** Creates a clock; `fraction` is the random source. */
export function stepClock(fraction: () => number): StepClock {
  const start = Date.UTC(2026, 0, 1)
  const waiting = new Set<Waiting>()
  let elapsed = 0

  function after(ms: number, work: () => void) {
    const entry = { at: elapsed + Math.max(0, ms), turn: fraction(), work }
    waiting.add(entry)
    return { cancel: () => void waiting.delete(entry) }
  }

  function first(): Waiting | undefined {
    let found: Waiting | undefined
    for (const entry of waiting) {
      if (!found || entry.at < found.at || (entry.at === found.at && entry.turn < found.turn)) found = entry
    }
    return found
  }

  return {
    now: () => start + elapsed,
    monotonic: () => elapsed,
    after,
    sleep: sleeping(after),
    async step() {
      await settled()
      const due = first()
      if (!due) return false
      waiting.delete(due)
      elapsed = due.at
      due.work()
      await settled()
      return true
    },
    next: () => first()?.at,
    pending: () => waiting.size,
  }
}

/** Waits for the next turn of the event loop, which begins after all promise callbacks have run. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve))
