/** Repeats background jobs, without overlapping runs of the same job. */
import type { Clock, Timer } from './clock.ts'

/** Runs `job` every `ms`, counted from the end of the last run. A failing run is reported, and the next one still takes place. */
export function every(clock: Clock, ms: number, job: () => Promise<unknown>, failed: (thrown: unknown) => void): Timer {
  let stopped = false
  let timer: Timer | undefined
  const plan = () => {
    if (!stopped) timer = clock.after(ms, run)
  }
  const run = () => {
    job().catch(failed).finally(plan)
  }
  plan()
  return {
    cancel() {
      stopped = true
      timer?.cancel()
    },
  }
}
