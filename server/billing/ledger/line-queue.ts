/** The lines on their way to the database, in order, and who waits for them. What is done for a line does not depend on how many wait. */
import type { EncodedLine } from '#billing/journal/encoded-line'

/** A queue of lines. */
export interface LineQueue {
  size(): number
  /** Appends a line. */
  add(line: EncodedLine): void
  /** Resolves when the line has left the queue, or at the next `wake`; at once where it is not in it. */
  gone(line: EncodedLine): Promise<void>
  /** The lines for the next call. They stay in the queue until they are removed. */
  next(): EncodedLine[]
  /** Removes these lines, which are the first of the queue. */
  remove(lines: readonly EncodedLine[]): void
  /** The database refused these lines together: they now go one by one, until the bad one is found. */
  split(lines: readonly EncodedLine[]): undefined
  /** Whether lines go one by one. */
  isSplit(): boolean
  /** Ends all waiting. */
  wake(): void
}

/**
 * So many lines go with a call, if as many wait: 25 to 30 ms of the database's time, which is how long somebody may wait for the next call.
 * With 200 a row costs a fourth more on the embedded engine, with 1,000 it costs as much.
 */
export const linesPerCall = 500
/** So many places of removed lines are kept before the rest moves up, and at least as many as lines that wait. */
const mostSpent = 1_000

/** An empty queue. `writeDown`: whatever is in it is in the journal when this returns, before the database hears of it. */
export function createLineQueue(writeDown: () => void = () => undefined): LineQueue {
  const lines: (EncodedLine | undefined)[] = []
  /** Where the first line is; before it are those that were removed. */
  let first = 0
  let alone = 0
  const waiting = new Map<EncodedLine, PromiseWithResolvers<void>>()

  function forget(count: number): void {
    // A removed line must not be kept in memory by its place.
    lines.fill(undefined, first, first + count)
    first += count
    if (first < mostSpent || first < lines.length - first) return
    lines.splice(0, first)
    first = 0
  }

  return {
    size: () => lines.length - first,
    add(line) {
      lines.push(line)
    },
    gone(line) {
      // Who asks wants to know of the last one.
      if (lines.lastIndexOf(line) < first) return Promise.resolve()
      const known = waiting.get(line) ?? Promise.withResolvers<void>()
      waiting.set(line, known)
      return known.promise
    },
    next() {
      writeDown()
      return lines.slice(first, first + (alone > 0 ? 1 : linesPerCall)).filter((line) => line !== undefined)
    },
    remove(some) {
      forget(some.length)
      alone = Math.max(0, alone - some.length)
      if (waiting.size === 0) return
      for (const line of some) {
        waiting.get(line)?.resolve()
        waiting.delete(line)
      }
    },
    split(some) {
      alone = some.length
    },
    isSplit: () => alone > 0,
    wake() {
      for (const { resolve } of waiting.values()) resolve()
      waiting.clear()
    },
  }
}
