/** Yields during long work: to the event loop, and to other threads. */
import { setPriority } from 'node:os'

/** Resolves after the pending work of the event loop has run. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

/**
 * Cuts long work into slices of about `atOnce` bytes, however large its pieces are. Called with the bytes of each finished piece; returns a
 * promise to await before the next one after each slice, else nothing.
 */
export function turnEvery(atOnce: number): (done: number) => Promise<void> | undefined {
  let sinceTurn = 0
  return (done) => {
    sinceTurn += done
    if (sinceTurn < atOnce) return undefined
    sinceTurn = 0
    return nextTurn()
  }
}

/** Niceness from -20 (first) to 19 (last); the default is 0. */
const lateThread = 10

/** Lowers the priority of the calling thread. Does nothing where threads have no priority of their own. Never throws. */
export function giveWay(): void {
  // Zero is the calling thread on Linux, and the whole process elsewhere.
  if (process.platform !== 'linux') return
  try {
    setPriority(0, lateThread)
  } catch {
    // A sandbox may forbid it.
  }
}
