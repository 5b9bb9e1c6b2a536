/** When the lane makes its next round: at once, at a moment that was planned, or not at all any more. One round at a time. */
import type { Clock, Timer } from '#runtime/clock'

export interface Pace {
  /** A round now, unless one is under way. */
  now(): void
  /** A round within so many milliseconds, if none is under way. */
  within(ms: number): void
  /** Resolves when a round that has not begun yet is over, or when there are no more; makes none by itself, but for one that follows. */
  over(): Promise<void>
  /** Whether the next round is planned, and none under way. */
  waits(): boolean
  /** No more rounds; resolves when the last one is over. */
  stop(): Promise<void>
}

export interface Rounds {
  /** Answers how many milliseconds must pass before the next round; undefined: none. Never rejects. */
  round(): Promise<number | undefined>
  /** Whether there is a reason for another round at once. */
  more(): boolean
  /** Milliseconds until the next round when there is none. */
  rest(): number
}

export function createPace(clock: Clock, { round, more, rest }: Rounds): Pace {
  let timer: Timer | undefined
  let at = Number.POSITIVE_INFINITY
  let busy = false
  let stopped = false
  let last = () => {}
  let waiting: (() => void)[] = []

  function plan(ms: number): void {
    timer?.cancel()
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
    // In one go with the look at what there is to do: what comes in between would wait for the timer.
    void round().then((pause) => {
      busy = false
      for (const done of mine) done()
      if (stopped) last()
      else if (pause === undefined && (waiting.length > 0 || more())) go()
      else plan(pause ?? rest())
    })
  }

  return {
    now: go,
    within(ms) {
      if (!busy && !stopped && (timer === undefined || clock.monotonic() + ms < at)) plan(ms)
    },
    over: () => (stopped ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
    waits: () => timer !== undefined,
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
