/**
 * A program whose wall clock jumps ahead at SIGUSR2, as if so much time had passed. This file is preloaded into it by the environment
 * that `laterClock` returns.
 */
import { fileURLToPath } from 'node:url'
import { isMainThread } from 'node:worker_threads'

/** The environment of a program, on Bun only, whose clock jumps by so many milliseconds. */
export const laterClock = (ms: number): Record<string, string> => ({
  BUN_OPTIONS: `--preload=${fileURLToPath(import.meta.url)}`,
  LATER_CLOCK: `${ms}`,
})

const leap = Number(process.env.LATER_CLOCK)

if (isMainThread && leap > 0) {
  const now = Date.now.bind(Date)
  let later = 0
  Date.now = () => now() + later
  process.once('SIGUSR2', () => {
    later = leap
  })
}
