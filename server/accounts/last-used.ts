/** When things were last used: noted in memory on the hot path, written to the database in batches from behind. */

export interface LastUsed {
  /** Notes a use; `at` in milliseconds since the epoch. */
  touch(id: string, at: number): void
  /** The last use noted since the start, if any. */
  last(id: string): number | undefined
  /** Forgets what no longer exists. */
  keep(exists: (id: string) => boolean): void
  /** Writes what is new, 500 at a time; what could not be written is tried again by the next flush. */
  flush(write: (seen: [id: string, at: Date][]) => Promise<void>): Promise<void>
}

const batch = 500

export function createLastUsed(): LastUsed {
  const last = new Map<string, number>()
  const unwritten = new Set<string>()

  return {
    touch(id, at) {
      last.set(id, at)
      unwritten.add(id)
    },
    last: (id) => last.get(id),
    keep(exists) {
      for (const id of last.keys()) {
        if (exists(id)) continue
        last.delete(id)
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
        // Taken off first: a use noted while the write is under way belongs to the next one.
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
