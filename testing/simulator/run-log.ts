/** The log of one simulated schedule: its events, and the invariants that it broke. */
import type { Clock } from '#runtime/clock'

/** Collects events and broken invariants, each with its simulated time. */
export interface RunLog {
  /** Logs an event. */
  note(what: string): void
  /** Records a broken invariant. */
  fail(what: string): void
  /** Records a broken invariant unless the condition holds. */
  check(condition: boolean, what: string): void
  readonly lines: readonly string[]
  readonly faults: readonly string[]
}

/** Creates an empty log. */
export function createRunLog(clock: Pick<Clock, 'monotonic'>): RunLog {
  const lines: string[] = []
  const faults: string[] = []
  const at = () => `${clock.monotonic()} ms`
  const fail = (what: string) => {
    faults.push(`${at()}: ${what}`)
    lines.push(`${at()}: FAILED: ${what}`)
  }
  return {
    note: (what) => lines.push(`${at()}: ${what}`),
    fail,
    check: (condition, what) => {
      if (!condition) fail(what)
    },
    lines,
    faults,
  }
}
