/**
 * A clock that goes from one timer to the next, so that everything can be looked at in between. What falls due at the same
 * moment comes in an order that the dice choose.
 */

import type { Clock } from '#runtime/clock'
import { sleeping } from './hand-clock.ts'

export interface StepClock extends Clock {
  /** Runs what falls due next and lets every promise settle; false when nothing waits. */
  step(): Promise<boolean>
  /** When the next one falls due. */
  next(): number | undefined
  /** Timers that still wait. */
  pending(): number
}

interface Waiting {
  at: number
  turn: number
  work: () => void
}

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

/** A turn of the event loop begins when no promise has anything left to do. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve))
