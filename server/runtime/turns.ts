/** Gives others their turn: what waits on the event loop in the middle of long work, and other threads. */
import { setPriority } from 'node:os'

/** Resolves when everything that waits on the event loop has had its turn. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

/**
 * Cuts long work into slices of about `atOnce` bytes, however large its pieces are. Called with the bytes of each piece that is done;
 * returns what to wait for before the next one: others' turn after each slice, else nothing.
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

/** From -20, first, to 19, last; 0 is usual. */
const lateThread = 10

/** The calling thread comes after others when processors are scarce. Does nothing where threads have no priority of their own. Never throws. */
export function giveWay(): void {
  // Zero is the calling thread on Linux, and the whole process elsewhere.
  if (process.platform !== 'linux') return
  try {
    setPriority(0, lateThread)
  } catch {
    // A sandbox may forbid it.
  }
}
