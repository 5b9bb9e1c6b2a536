/** How far behind this process is: how late its timers fire, smoothed, so that one long task does not count as overload. */
import type { Clock, Timer } from './clock.ts'

export interface LagMeter {
  /** Milliseconds, smoothed. */
  lag(): number
  stop(): void
}

const everyMs = 100
/** Weight of the newest measurement. */
const newest = 0.3

/** Measures from now until `stop`, ten times a second. */
export function createLagMeter(clock: Pick<Clock, 'monotonic' | 'after'>): LagMeter {
  let smoothed = 0
  let timer: Timer
  function plan(): void {
    const due = clock.monotonic() + everyMs
    timer = clock.after(everyMs, () => {
      smoothed += newest * (Math.max(0, clock.monotonic() - due) - smoothed)
      plan()
    })
  }
  plan()
  return { lag: () => smoothed, stop: () => timer.cancel() }
}
