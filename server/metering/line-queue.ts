/** Lines on their way into the database, in order, and who waits for them there. */
import type { BookLine } from '#store/leases'

export interface LineQueue {
  size(): number
  add(line: BookLine): void
  /** Resolves when the line has left the queue, or with `wake`. */
  gone(line: BookLine): Promise<void>
  /** What goes with the next call. Stays in the queue until it is removed. */
  next(): BookLine[]
  /** These, the first ones, need nothing more. */
  remove(lines: readonly BookLine[]): void
  /** The database would not have these together: from now on they go one by one, until it is found which. */
  split(lines: readonly BookLine[]): undefined
  /** Whether that is being found out. */
  isSplit(): boolean
  /** Nobody waits any longer. */
  wake(): void
}

const linesPerCall = 200

export function createLineQueue(): LineQueue {
  let lines: BookLine[] = []
  let alone = 0
  const waiting = new Map<BookLine, () => void>()

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
