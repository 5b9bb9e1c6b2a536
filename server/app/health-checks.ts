/**
 * Who asks `GET /readyz` again and again is a balancer, and goes on sending requests until it has heard that this process leaves.
 * Refusing them before would fail requests that another instance could have served.
 */
import type { Clock } from '#runtime/clock'
import type { AbortSignalLike } from '#runtime/contract/abort'

/** Failed checks after which the usual balancers send nothing more (HAProxy and Kubernetes: 3). */
const toldEnough = 3
/** Milliseconds; rarer questions are somebody's look, not a check. */
const longestGapMs = 10_000
const longestWaitMs = 30_000
/** Two questions may come close to each other: of two askers, or late. How often somebody checks is the longest of so many gaps. */
const gapsLooked = 4

/** Watches the questions, and waits for their asker. */
export interface HealthChecks {
  /** Somebody asked, and hears whether this process is leaving. */
  asked(isLeaving: boolean): void
  /** Resolves when whoever checks has heard it often enough, at once where nobody checks, after 30 s at the latest, or by the signal. */
  heard(hurried: AbortSignalLike): Promise<void>
}

export function createHealthChecks(clock: Pick<Clock, 'monotonic' | 'sleep'>): HealthChecks {
  let last = Number.NEGATIVE_INFINITY
  /** The last ones that are no longer than those of a check. */
  let gaps: number[] = []
  let told = 0

  const isChecked = () => gaps.length > 0 && clock.monotonic() - last <= 2 * Math.max(...gaps) + 200

  return {
    asked(isLeaving) {
      const now = clock.monotonic()
      if (now - last <= longestGapMs) gaps = [...gaps.slice(1 - gapsLooked), now - last]
      last = now
      if (isLeaving) told += 1
    },
    async heard(hurried) {
      const until = clock.monotonic() + longestWaitMs
      while (told < toldEnough && isChecked() && clock.monotonic() < until && !hurried.aborted)
        await clock.sleep(20, hurried).catch(() => undefined)
    },
  }
}
