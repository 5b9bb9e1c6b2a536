/**
 * One circuit breaker. Closed: everything passes and outcomes are counted in a window; it opens when enough of them, and at least half, are
 * failures. Open: nothing passes until the penalty ends; every penalty is finite. Half-open: one probe passes; its success closes the
 * breaker, its failure opens it for longer. An attempt made while it is open, because nothing else is left, closes it if it succeeds. Pure:
 * the time is passed in, in milliseconds of a monotonic clock.
 */

/** Thresholds of a breaker. */
export interface BreakerRules {
  /** Failures in the window that open the breaker, if they are at least half of the outcomes. */
  failures: number
  windowMs: number
  /** The first penalty; each further one in a row is twice as long. */
  penaltyMs: number
  longestMs: number
}

/** The state at a given time. */
export type BreakerState = 'closed' | 'open' | 'half-open'

/** A circuit breaker; every `now` is in milliseconds. */
export interface Breaker {
  state(now: number): BreakerState
  /** When the next attempt may pass; undefined = now. */
  until(now: number): number | undefined
  /** Admits an attempt. `probe`: it is the single probe and must report its outcome as such. Undefined = rejected. */
  admit(now: number): 'free' | 'probe' | undefined
  /** Records a success. A breaker that was open is only closed by an attempt that was admitted since then: `proof`. */
  succeeded(now: number, proof: boolean): void
  /** Records a failure. A breaker that was open is only reopened by the probe: requests sent earlier are no new evidence. */
  failed(now: number, probe: boolean): void
  /** Opens at once for `ms`, as requested by the upstream. */
  rest(now: number, ms: number): void
  /** The probe ended without a result; another attempt may be the probe. */
  withdrawn(): void
  /** Applies the state of another instance: open for `ms`, or closed (0). */
  applyRemote(now: number, ms: number): void
  /** True when the breaker has no failures to remember and can be dropped. */
  clean(now: number): boolean
}

/** A closed breaker. */
export function createBreaker(rules: BreakerRules): Breaker {
  /** Outcomes by sixths of the window, in order. */
  const outcomes = new Map<number, { good: number; bad: number }>()
  let openUntil: number | undefined
  let probing = false
  let inARow = 0

  const slotMs = rules.windowMs / 6
  function count(now: number): { good: number; bad: number } {
    const all = { good: 0, bad: 0 }
    for (const [slot, { good, bad }] of outcomes) {
      if (slot <= Math.floor(now / slotMs) - 6) outcomes.delete(slot)
      else {
        all.good += good
        all.bad += bad
      }
    }
    return all
  }
  function note(now: number, kind: 'good' | 'bad'): void {
    const slot = Math.floor(now / slotMs)
    const known = outcomes.get(slot) ?? { good: 0, bad: 0 }
    known[kind] += 1
    outcomes.set(slot, known)
  }
  const open = (now: number, ms: number) => {
    openUntil = now + ms
    probing = false
    outcomes.clear()
  }
  const rest = (now: number, ms: number) => {
    if ((openUntil ?? 0) < now + ms) open(now, ms)
  }
  const close = () => {
    openUntil = undefined
    probing = false
    inARow = 0
    outcomes.clear()
  }
  const state = (now: number): BreakerState => {
    if (openUntil === undefined) return 'closed'
    return now < openUntil ? 'open' : 'half-open'
  }

  return {
    state,
    until: (now) => (openUntil !== undefined && now < openUntil ? openUntil : undefined),
    admit(now) {
      const current = state(now)
      if (current === 'closed') return 'free'
      if (current === 'open' || probing) return undefined
      probing = true
      return 'probe'
    },
    succeeded(now, proof) {
      if (openUntil === undefined) {
        inARow = 0
        note(now, 'good')
      } else if (proof) close()
    },
    failed(now, probe) {
      if (openUntil !== undefined && !(probe && state(now) === 'half-open')) return
      note(now, 'bad')
      const { good, bad } = count(now)
      if (state(now) === 'closed' && (bad < rules.failures || bad < good)) return
      open(now, Math.min(rules.penaltyMs * 2 ** Math.min(inARow, 20), rules.longestMs))
      inARow += 1
    },
    rest,
    withdrawn() {
      probing = false
    },
    applyRemote(now, ms) {
      if (ms <= 0) close()
      else rest(now, ms)
    },
    clean: (now) => openUntil === undefined && count(now).bad === 0,
  }
}
