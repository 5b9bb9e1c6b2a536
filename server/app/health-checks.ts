/**
 * Load balancers poll `GET /readyz`, and keep sending requests until they have seen that this process is shutting down.
 * Refusing requests before would fail some that another instance could have served.
 */
import type { Clock } from '#runtime/clock'
import type { AbortSignalLike } from '#runtime/contract/abort'

/** Failed checks after which common balancers stop sending requests (HAProxy and Kubernetes: 3). */
const enoughFailures = 3
/** Milliseconds; less frequent requests are not health checks. */
const longestGapMs = 10_000
const longestWaitMs = 30_000
/** Two checks may come close together: from two balancers, or late. The check interval is taken as the longest of this many gaps. */
const gapsLooked = 4

/** Tracks health checks, and waits until they have seen the shutdown. */
export interface HealthChecks {
  /** A check was answered, saying whether this process is shutting down. */
  checked(isLeaving: boolean): void
  /** Resolves when the checks have seen it often enough, at once without checks, after 30 s at the latest, or when `hurried` is aborted. */
  seen(hurried: AbortSignalLike): Promise<void>
}

export function createHealthChecks(clock: Pick<Clock, 'monotonic' | 'sleep'>): HealthChecks {
  let last = Number.NEGATIVE_INFINITY
  /** The most recent gaps no longer than `longestGapMs`. */
  let gaps: number[] = []
  let refusals = 0

  const isChecked = () => gaps.length > 0 && clock.monotonic() - last <= 2 * Math.max(...gaps) + 200

  return {
    checked(isLeaving) {
      const now = clock.monotonic()
      if (now - last <= longestGapMs) gaps = [...gaps.slice(1 - gapsLooked), now - last]
      last = now
      if (isLeaving) refusals += 1
    },
    async seen(hurried) {
      const until = clock.monotonic() + longestWaitMs
      while (refusals < enoughFailures && isChecked() && clock.monotonic() < until && !hurried.aborted)
        await clock.sleep(20, hurried).catch(() => undefined)
    },
  }
}
