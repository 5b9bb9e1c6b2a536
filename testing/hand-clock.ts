/** A clock that only moves when a test advances it. */
import type { Clock } from '#runtime/clock'

/** A clock with a manual control. */
export interface HandClock extends Clock {
  /** Advances by `ms`, running due timers in order; promises settle between two timers. */
  advance(ms: number): Promise<void>
  /** Number of pending timers. */
  pending(): number
}

/** Creates a clock at `start` milliseconds since the epoch. */
export function handClock(start = Date.UTC(2026, 0, 1)): HandClock {
  let elapsed = 0
  let waiting: { at: number; work: () => void }[] = []

  function after(ms: number, work: () => void) {
    const entry = { at: elapsed + Math.max(0, ms), work }
    waiting.push(entry)
    return {
      cancel: () => {
        waiting = waiting.filter((other) => other !== entry)
      },
    }
  }

  return {
    now: () => start + elapsed,
    monotonic: () => elapsed,
    after,
    sleep: sleeping(after),
    async advance(ms) {
      const until = elapsed + ms
      for (;;) {
        await settled()
        const due = waiting.filter((entry) => entry.at <= until).sort((a, b) => a.at - b.at)[0]
        if (due === undefined) break
        waiting = waiting.filter((entry) => entry !== due)
        elapsed = Math.max(elapsed, due.at)
        due.work()
      }
      elapsed = until
    },
    pending: () => waiting.length,
  }
}

/** Lets chains of promises settle. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Implements `sleep` with a clock's timers. */
export const sleeping =
  (after: Clock['after']): Clock['sleep'] =>
  (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const stop = () => {
        timer.cancel()
        reject(signal?.reason)
      }
      const timer = after(ms, () => {
        signal?.removeEventListener('abort', stop)
        resolve()
      })
      signal?.addEventListener('abort', stop, { once: true })
    })
