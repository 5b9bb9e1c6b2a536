/**
 * One circuit breaker. Closed: everything passes, outcomes are counted in a window, and it opens when enough of them, and at
 * least half, are failures. Open: nothing passes until its penalty ends, and every penalty does. Half-open: one probe passes;
 * its success closes, its failure opens for longer. Pure: the time is handed in, in milliseconds that never go back.
 */

export interface BreakerRules {
  /** Failures inside the window that open it, when they are at least half of the outcomes. */
  failures: number
  windowMs: number
  /** The first penalty; each further one in a row is twice as long. */
  penaltyMs: number
  longestMs: number
}

export type BreakerState = 'closed' | 'open' | 'half-open'

export interface Breaker {
  state(now: number): BreakerState
  /** When it lets the next one pass; undefined when it does so now. */
  until(now: number): number | undefined
  /** `probe`: this one has the one place of a probe, and says so when it ends. Undefined = not now. */
  admit(now: number): 'free' | 'probe' | undefined
  /** After a rest only the probe closes it. */
  succeeded(now: number, probe: boolean): void
  /** After a rest only the probe opens it again: what was sent before says nothing new. */
  failed(now: number, probe: boolean): void
  /** Opens at once, for that long: the upstream has said when to come back. */
  rest(now: number, ms: number): void
  /** Its probe ended without a verdict and may be taken again. */
  withdrawn(): void
  /** Another instance has opened it for that long, or closed it (0). */
  told(now: number, ms: number): void
  /** Nothing is held against it any more: it can be forgotten. */
  clean(now: number): boolean
}

export function createBreaker(rules: BreakerRules): Breaker {
  /** Outcomes by sixths of the window. */
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
    succeeded(now, probe) {
      if (openUntil === undefined) {
        inARow = 0
        note(now, 'good')
      } else if (probe && state(now) === 'half-open') close()
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
    told(now, ms) {
      if (ms <= 0) close()
      else rest(now, ms)
    },
    clean: (now) => openUntil === undefined && count(now).bad === 0,
  }
}
