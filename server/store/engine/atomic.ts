/** Several writes in one transaction; their changes are published after the commit. */
import { createPublications } from './publications.ts'
import type { Changes, Store } from './store.ts'

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
  await publications.tell(store.changes)
  return result
}
