/** Several writes in one transaction; their changes are published after the commit. */
import type { Changes, MirroredTable, Store } from './store.ts'

/** Up to this many changed rows are refreshed one by one; beyond that the whole table is. */
const fewRows = 50

/** Pending notifications. */
export interface Publications {
  /** `id` undefined: many rows of the table. */
  add(table: MirroredTable, id: string | undefined): void
  /** Publishes each row once, or the table as a whole. */
  publishAll(to: Changes): Promise<void>
}

/** An empty collection. */
export function createPublications(): Publications {
  const pending = new Map<MirroredTable, Set<string | undefined>>()
  return {
    add(table, id) {
      pending.set(table, (pending.get(table) ?? new Set()).add(id))
    },
    async publishAll(to) {
      for (const [table, ids] of pending) {
        const all = ids.has(undefined) || ids.size > fewRows
        for (const id of all ? [undefined] : ids) await to.publish(table, id)
      }
    },
  }
}

/**
 * Runs `work` in a transaction; its writes must use the store it gets. Inside another transaction, publishing waits for the outer
 * commit.
 */
export async function atomically<T>(store: Store, work: (store: Store) => Promise<T>): Promise<T> {
  const publications = createPublications()
  const changes: Changes = {
    publish: async (table, id) => publications.add(table, id),
    subscribe: (table, refresh) => store.changes.subscribe(table, refresh),
  }
  const result = await store.db.transaction((tx) => work({ ...store, db: tx, changes }))
  await publications.publishAll(store.changes)
  return result
}
