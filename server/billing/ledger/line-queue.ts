/** The lines on their way to the database, in order, and the promises for them. The work per line does not depend on the queue's length. */
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
  /** The database refused these lines together: they are now sent one by one, until the bad one is found. */
  split(lines: readonly EncodedLine[]): undefined
  /** Whether lines are sent one by one. */
  isSplit(): boolean
  /** Ends all waiting. */
  wake(): void
}

/**
 * Most lines of a call: 25 to 30 ms of the database's time, which is how long a request may wait for the next call.
 * With 200 a row costs a fourth more on the embedded engine, with 1,000 it costs as much.
 */
export const linesPerCall = 500
/** Slots of removed lines that are kept before the array is compacted, and at least as many as waiting lines. */
const mostSpent = 1_000

/** An empty queue. `writeDown`: when it returns, all queued lines are in the journal; called before the database gets them. */
export function createLineQueue(writeDown: () => void = () => undefined): LineQueue {
  const lines: (EncodedLine | undefined)[] = []
  /** Index of the first line; those before it were removed. */
  let first = 0
  let alone = 0
  const waiting = new Map<EncodedLine, PromiseWithResolvers<void>>()

  function forget(count: number): void {
    // A removed line must not be kept in memory by its slot.
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
      // Searched from the end: callers ask about recent lines.
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
