/** When rows were last used: recorded in memory on the hot path, written to the database in batches in the background. */
import type { Sender } from './caller.ts'

/** Collects last-use times until they are flushed. */
export interface LastUsed {
  /**
   * Records a use, unless one within the second before it is recorded; `at` in milliseconds since the epoch. The address is read only
   * when the use is recorded.
   */
  touch(id: string, at: number, from?: Sender): void
  /** The last use recorded since the start, if any. */
  last(id: string): number | undefined
  /** The address of the last use recorded since the start, if any. */
  lastFrom(id: string): string | undefined
  /** Drops the ids for which `exists` returns false. */
  keep(exists: (id: string) => boolean): void
  /** Writes new entries, 500 at a time; entries that could not be written are retried by the next flush. */
  flush(write: (seen: [id: string, at: Date][]) => Promise<void>): Promise<void>
}

const batch = 500
const nearMs = 1_000

/** An empty collection. */
export function createLastUsed(): LastUsed {
  const last = new Map<string, number>()
  const places = new Map<string, string>()
  const unwritten = new Set<string>()

  return {
    touch(id, at, from) {
      const before = last.get(id)
      if (before !== undefined && Math.abs(at - before) < nearMs) return
      last.set(id, at)
      if (from !== undefined) places.set(id, from.clientAddress)
      unwritten.add(id)
    },
    last: (id) => last.get(id),
    lastFrom: (id) => places.get(id),
    keep(exists) {
      for (const id of last.keys()) {
        if (exists(id)) continue
        last.delete(id)
        places.delete(id)
        unwritten.delete(id)
      }
    },
    async flush(write) {
      const ids = [...unwritten]
      for (let from = 0; from < ids.length; from += batch) {
        const part = ids.slice(from, from + batch)
        const seen = part.flatMap((id): [string, Date][] => {
          const at = last.get(id)
          return at === undefined ? [] : [[id, new Date(at)]]
        })
        // Removed first: a use recorded during the write belongs to the next flush.
        for (const id of part) unwritten.delete(id)
        try {
          await write(seen)
        } catch (error) {
          for (const [id] of seen) unwritten.add(id)
          throw error
        }
      }
    },
  }
}
