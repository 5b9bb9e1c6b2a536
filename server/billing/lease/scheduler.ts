/** Decides when a sync loop makes its next round: at once, at a planned moment, or never again. One round at a time. */
import type { Clock, Timer } from '#runtime/clock'

/** The rounds of one loop. */
export interface Scheduler {
  /** A round now, unless one is under way. */
  now(): void
  /** A round within so many milliseconds, if none is under way. */
  within(ms: number): void
  /** Resolves when a round that has not begun yet is over, or when there are no more. Asks for a follow-up round, but starts none by itself. */
  over(): Promise<void>
  /** Whether the next round is planned, and none under way. */
  isPlanned(): boolean
  /** No more rounds; resolves when the last one is over. */
  stop(): Promise<void>
}

/** What the loop does, and when it wants to go on. */
export interface Rounds {
  /** One round. Answers how many milliseconds must pass before the next; undefined: as `more` and `rest` say. Never rejects. */
  round(): Promise<number | undefined>
  /** Whether there is a reason for another round at once. */
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
    // The round's end and the look at what there is to do must not be apart: what came in between would wait for the timer.
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
