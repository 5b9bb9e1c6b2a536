/** Several writes as one: they are committed together, and what they publish is told after the commit. */
import type { Changes, Store } from './store.ts'

/**
 * Runs `work` in a transaction; whatever it writes must go through the store it is given. May stand inside another one, and then
 * what is published waits for the outer commit.
 */
export async function atomically<T>(store: Store, work: (store: Store) => Promise<T>): Promise<T> {
  const told: Parameters<Changes['publish']>[] = []
  const changes: Changes = {
    async publish(table, id) {
      told.push([table, id])
    },
    subscribe: (table, refresh) => store.changes.subscribe(table, refresh),
  }
  const result = await store.db.transaction((tx) => work({ ...store, db: tx, changes }))
  for (const [table, id] of told) await store.changes.publish(table, id)
  return result
}
