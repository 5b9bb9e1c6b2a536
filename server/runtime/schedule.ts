/** Background jobs: one place that repeats them, never two runs of a job at once. */
import type { Clock, Timer } from './clock.ts'

/** Runs `job` every `ms`, counted from the end of the last run. A run that fails is reported and the next one still comes. */
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
