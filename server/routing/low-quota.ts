/** Keys whose quota for a model is nearly used up, according to the upstream. Others are preferred; this is no penalty. */
import type { Clock } from '#runtime/clock'
import type { Candidate } from './order.ts'

/** Nearly used up quotas, by an id of key and model. */
export interface LowQuota {
  /** Others are preferred for `ms` milliseconds. */
  note(id: string, ms: number): void
  /** Moves candidates whose quota is nearly used up to the end; otherwise keeps the order. */
  last(candidates: readonly Candidate[]): readonly Candidate[]
  /** Drops what `matches`. */
  forget(matches: (id: string) => boolean): void
}

/** Maximum number of keys and models remembered. */
const most = 10_000

/** `idOf` returns the id of a candidate's key and model. */
export function createLowQuota(clock: Pick<Clock, 'monotonic'>, idOf: (candidate: Candidate) => string): LowQuota {
  const until = new Map<string, number>()
  return {
    note(id, ms) {
      const now = clock.monotonic()
      if (until.size >= most) for (const [known, at] of until) if (at <= now) until.delete(known)
      if (until.size < most) until.set(id, now + ms)
    },
    last(candidates) {
      const now = clock.monotonic()
      const isLow = (candidate: Candidate) => (until.get(idOf(candidate)) ?? 0) > now
      if (until.size === 0 || !candidates.some(isLow)) return candidates
      return [...candidates.filter((one) => !isLow(one)), ...candidates.filter(isLow)]
    },
    forget(matches) {
      for (const id of until.keys()) if (matches(id)) until.delete(id)
    },
  }
}
