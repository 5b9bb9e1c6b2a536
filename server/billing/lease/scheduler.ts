/** Decides when a sync loop runs its next round: at once, at a planned moment, or never again. One round at a time. */
import type { Clock, Timer } from '#runtime/clock'

/** The rounds of one loop. */
export interface Scheduler {
  /** Starts a round now, unless one is running. */
  now(): void
  /** Starts a round within `ms` milliseconds, if none is running. */
  within(ms: number): void
  /** Resolves when the next round to begin is over, or when there are no more. Requests a follow-up round but does not start one. */
  over(): Promise<void>
  /** Whether the next round is planned and none is running. */
  isPlanned(): boolean
  /** No more rounds; resolves when the last one is over. */
  stop(): Promise<void>
}

/** What the loop does, and when it continues. */
export interface Rounds {
  /** One round. Resolves to the milliseconds that must pass before the next; undefined: `more` and `rest` decide. Never rejects. */
  round(): Promise<number | undefined>
  /** Whether another round is needed at once. */
  more(): boolean
  /** Milliseconds until the next round when there is no such reason; undefined: none is planned. */
  rest(): number | undefined
}

/** Nothing is planned at first. */
export function createScheduler(clock: Clock, { round, more, rest }: Rounds): Scheduler {
  let timer: Timer | undefined
  let at = Number.POSITIVE_INFINITY
  let busy = false
  let stopped = false
  let last = () => {}
  let waiting: (() => void)[] = []

  function plan(ms: number | undefined): void {
    timer?.cancel()
    timer = undefined
    if (ms === undefined) return
    at = clock.monotonic() + ms
    timer = clock.after(ms, go)
  }

  function go(): void {
    if (busy || stopped) return
    timer?.cancel()
    timer = undefined
    busy = true
    const mine = waiting
    waiting = []
    // Check for more work in the same turn in which the round ends: anything arriving in between would wait for the timer.
    void round().then((pause) => {
      busy = false
      for (const done of mine) done()
      if (stopped) last()
      else if (pause === 0 || (pause === undefined && (waiting.length > 0 || more()))) go()
      else plan(pause ?? rest())
    })
  }

  return {
    now: go,
    within(ms) {
      if (!busy && !stopped && (timer === undefined || clock.monotonic() + ms < at)) plan(ms)
    },
    over: () => (stopped ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
    isPlanned: () => timer !== undefined,
    async stop() {
      stopped = true
      timer?.cancel()
      if (busy) {
        await new Promise<void>((resolve) => {
          last = resolve
        })
      }
      for (const done of waiting.splice(0)) done()
    },
  }
}
