/** What a simulated schedule says about itself: what happened, and what must never happen. */
import type { Clock } from '#runtime/clock'

export interface Journal {
  /** Something happened. */
  note(what: string): void
  /** An invariant is broken. */
  broken(what: string): void
  /** `broken` unless it holds. */
  holds(condition: boolean, what: string): void
  readonly lines: readonly string[]
  readonly faults: readonly string[]
}

export function createJournal(clock: Pick<Clock, 'monotonic'>): Journal {
  const lines: string[] = []
  const faults: string[] = []
  const at = () => `${clock.monotonic()} ms`
  const broken = (what: string) => {
    faults.push(`${at()}: ${what}`)
    lines.push(`${at()}: BROKEN: ${what}`)
  }
  return {
    note: (what) => lines.push(`${at()}: ${what}`),
    broken,
    holds: (condition, what) => {
      if (!condition) broken(what)
    },
    lines,
    faults,
  }
}
