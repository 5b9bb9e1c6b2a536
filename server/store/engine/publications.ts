/** What is published while a transaction is open, kept until it is over and then told. */
import type { Changes, MirroredTable } from './store.ts'

/** So many changed rows of a table are read again one by one; from here on the whole table is. */
const fewRows = 50

export interface Publications {
  /** `id` undefined: many rows of the table. */
  add(table: MirroredTable, id: string | undefined): void
  /** Each row once, and of many rows of a table only that. */
  tell(to: Changes): Promise<void>
}

export function createPublications(): Publications {
  const told = new Map<MirroredTable, Set<string | undefined>>()
  return {
    add(table, id) {
      told.set(table, (told.get(table) ?? new Set()).add(id))
    },
    async tell(to) {
      for (const [table, ids] of told) {
        const all = ids.has(undefined) || ids.size > fewRows
        for (const id of all ? [undefined] : ids) await to.publish(table, id)
      }
    },
  }
}
