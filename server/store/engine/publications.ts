/** Collects what a transaction publishes, until it is committed. */
import type { Changes, MirroredTable } from './store.ts'

/** Up to this many changed rows are refreshed one by one; beyond that the whole table is. */
const fewRows = 50

/** Pending notifications. */
export interface Publications {
  /** `id` undefined: many rows of the table. */
  add(table: MirroredTable, id: string | undefined): void
  /** Publishes each row once, or the table as a whole. */
  tell(to: Changes): Promise<void>
}

/** An empty collection. */
export function createPublications(): Publications {
  const pending = new Map<MirroredTable, Set<string | undefined>>()
  return {
    add(table, id) {
      pending.set(table, (pending.get(table) ?? new Set()).add(id))
    },
    async tell(to) {
      for (const [table, ids] of pending) {
        const all = ids.has(undefined) || ids.size > fewRows
        for (const id of all ? [undefined] : ids) await to.publish(table, id)
      }
    },
  }
}
