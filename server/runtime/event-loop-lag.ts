/** How far behind this process is: how late its timers fire, smoothed, so that one long task does not count as overload. */
import type { Clock, Timer } from './clock.ts'

export interface LagMeter {
  /** Milliseconds, smoothed. */
  readonly lag: number
  stop(): void
}

const everyMs = 100
/** Weight of the newest measurement. */
const newest = 0.3

/** Measures from now until `stop`, ten times a second. */
export function createLagMeter(clock: Pick<Clock, 'monotonic' | 'after'>): LagMeter {
  let timer: Timer
  const meter = { lag: 0, stop: () => timer.cancel() }
  function plan(): void {
    const due = clock.monotonic() + everyMs
    timer = clock.after(everyMs, () => {
      meter.lag += newest * (Math.max(0, clock.monotonic() - due) - meter.lag)
      plan()
    })
  }
  plan()
  return meter
}
