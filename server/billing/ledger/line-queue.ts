/** The lines on their way to the database, in order, and who waits for them. */
import type { EncodedLine } from './encoded-line.ts'

/** A queue of lines. */
export interface LineQueue {
  size(): number
  /** Appends a line. */
  add(line: EncodedLine): void
  /** Resolves when the line has left the queue, or at the next `wake`. */
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

const linesPerCall = 200

/** An empty queue. */
export function createLineQueue(): LineQueue {
  let lines: EncodedLine[] = []
  let alone = 0
  const waiting = new Map<EncodedLine, () => void>()

  return {
    size: () => lines.length,
    add(line) {
      lines.push(line)
    },
    gone: (line) => new Promise((resolve) => waiting.set(line, resolve)),
    next: () => lines.slice(0, alone > 0 ? 1 : linesPerCall),
    remove(some) {
      lines = lines.slice(some.length)
      alone = Math.max(0, alone - some.length)
      for (const line of some) {
        waiting.get(line)?.()
        waiting.delete(line)
      }
    },
    split(some) {
      alone = some.length
    },
    isSplit: () => alone > 0,
    wake() {
      for (const resolve of waiting.values()) resolve()
      waiting.clear()
    },
  }
}
