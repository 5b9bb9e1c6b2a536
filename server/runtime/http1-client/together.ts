/**
 * Starts the work that arrives in one turn of the event loop together, at the end of the turn. The continuations then run in step, so that
 * the processor's caches still hold each function from the previous request: half the time of running one after the other.
 */

/** A piece of work: a function, or the `begin` of an object. It must not throw. */
export type Beginning = (() => void) | { begin(): void }

/** Begins the work that is added in this turn. */
export interface Together {
  /** Adds work, to begin in order in this turn of the event loop, or in later ones if there is much. */
  add(one: Beginning): void
  /** How many have not begun yet. */
  readonly waiting: number
  /** Estimated milliseconds that work added now would wait. */
  waitMs(): number
}

/** A larger group would no longer fit into the processor's caches. */
const mostAtOnce = 16
/** Assumed milliseconds per piece of work before it is measured, and the number of groups over which it is averaged. */
const usualMs = 0.2
const averagedOver = 8
/**
 * Milliseconds after which a group is begun in a turn that does not end. Together with its answers this is a fifth of the work then: with a
 * larger share, a flood of refused requests would make each turn longer than the one before.
 */
const longTurnMs = 12

const longTurns: ((now: number) => void)[] = []

/**
 * Begins a group of waiting work if this turn has lasted long. A turn goes on while data arrives, so a flood of refused requests would
 * delay the accepted ones. To be called for each refused request.
 */
export function beginIfTurnIsLong(): void {
  const now = performance.now()
  for (const begin of longTurns) begin(now)
}

export function together(): Together {
  let waiting: Beginning[] = []
  let isScheduled = false
  /** When the last group was begun, or the first piece of work was added. */
  let lastAt = 0
  let eachMs = usualMs

  /** Begins a group: at the end of a turn, or in a long one. */
  function begin(isLongTurn?: true): void {
    if (isLongTurn === undefined) isScheduled = waiting.length > mostAtOnce
    if (waiting.length > mostAtOnce) measure(performance.now())
    else eachMs = usualMs
    if (isLongTurn === undefined && isScheduled) setImmediate(begin)
    const group = waiting
    waiting = group.length > mostAtOnce ? group.splice(mostAtOnce) : []
    self.waiting = waiting.length
    for (const one of group) {
      if (typeof one === 'function') one()
      else one.begin()
    }
  }

  function measure(now: number): void {
    eachMs += ((now - lastAt) / mostAtOnce - eachMs) / averagedOver
    lastAt = now
  }

  longTurns.push((now) => {
    if (waiting.length === 0 || now - lastAt < longTurnMs) return
    begin(true)
    lastAt = now
  })

  const self = {
    waiting: 0,
    waitMs: () => waiting.length * eachMs,
    add(one: Beginning): void {
      self.waiting = waiting.push(one)
      if (isScheduled) return
      isScheduled = true
      lastAt = performance.now()
      setImmediate(begin)
    },
  }
  return self
}
