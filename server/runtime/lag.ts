/** How far this process is behind: by how much its timers come late, smoothed, so that one long step is not an overload. */
import type { Clock, Timer } from './clock.ts'

export interface LagMeter {
  /** Milliseconds. */
  lag(): number
  stop(): void
}

const everyMs = 100
/** Weight of the newest look. */
const newest = 0.3

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
