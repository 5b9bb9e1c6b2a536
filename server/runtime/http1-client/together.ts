/**
 * Work that comes in one turn of the event loop, begun together at its end. What follows of each then runs in step with the others, so
 * that the processor finds every function where the request before has left it: half the time of one after the other.
 */

/** What is begun: a function, or the `begin` of an object. It must not throw. */
export type Beginning = (() => void) | { begin(): void }

/** Begins what is added in this turn. */
export interface Together {
  /** It is begun in this turn of the event loop, or in the next ones where many are; in order. */
  add(one: Beginning): void
  /** How many wait to be begun. */
  readonly waiting: number
  /** Milliseconds that what is added now would wait, as far as can be told. */
  waitMs(): number
}

/** More at once would no longer fit into the processor's caches. */
const mostAtOnce = 16
/** Milliseconds of each, where that was not measured, and over how many groups it is averaged. */
const usualMs = 0.2
const averagedOver = 8
/**
 * Milliseconds after which a group is begun in a turn that does not end. With the answers to it, it is a fifth of the work then: with more, a
 * flood of requests that are refused makes each turn longer than the one before.
 */
const longTurnMs = 12

const longTurns: ((now: number) => void)[] = []

/**
 * Begins some of all that waits, where this turn has lasted long. A turn goes on while anything arrives, so that a flood of requests that
 * are refused would keep those from their turn that were taken. To be called for each of them.
 */
export function breathe(): void {
  const now = performance.now()
  for (const begin of longTurns) begin(now)
}

/** Nothing yet. */
export function together(): Together {
  let waiting: Beginning[] = []
  let isScheduled = false
  /** When the last group was begun, or the first one began to wait. */
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
