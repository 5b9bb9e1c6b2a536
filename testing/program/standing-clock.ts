/**
 * A program whose wall clock is stopped at a moment until SIGUSR2, and continues from there. Durations, which use another clock, are real
 * throughout. This file is preloaded into it by the environment that `standingClock` returns.
 */
import { fileURLToPath } from 'node:url'
import { isMainThread } from 'node:worker_threads'

/** The environment of a program, on Bun only, whose clock is stopped at this moment. */
export const standingClock = (at: Date): Record<string, string> => ({
  BUN_OPTIONS: `--preload=${fileURLToPath(import.meta.url)}`,
  STANDING_CLOCK: `${at.getTime()}`,
})

const standing = Number(process.env.STANDING_CLOCK)

if (isMainThread && standing > 0) {
  const monotonic = performance.now.bind(performance)
  let goesSince: number | undefined
  Date.now = () => standing + (goesSince === undefined ? 0 : Math.floor(monotonic() - goesSince))
  process.once('SIGUSR2', () => {
    goesSince = monotonic()
  })
}
