/** How long one piece of work of a request holds the event loop. */
import type { LoopWatch } from '#testing/program/loop-watch'

/** The guarantee: milliseconds of processor time. */
export const mostHeldMs = 20

/**
 * The first of three measurements below the promise, else the shortest: work that cannot be cut is long every time, the collector’s is
 * not. `url`: of the program.
 */
export async function heldBy(loop: LoopWatch, url: string, work: () => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let tries = 0; tries < 3 && least >= mostHeldMs; tries++) {
    loop.takeLongest()
    await work()
    // The probe looks again after the last work.
    await (await fetch(`${url}/healthz`)).text()
    await Bun.sleep(20)
    least = Math.min(least, loop.takeLongest())
  }
  return least
}
