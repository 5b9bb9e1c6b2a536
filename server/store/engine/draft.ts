/**
 * Draft transactions: many interdependent changes are written and read back before anyone else sees them, then committed
 * together, or not at all.
 */
import type { Clock } from '#runtime/clock'
import { createPublications } from './atomic.ts'
import { createChanges } from './changes.ts'
import type { Changes, Db, Store } from './store.ts'

/**
 * Runs `work` in one transaction, on a store whose mirrors see what it has written so far; mirrors of other stores are refreshed
 * after the commit. When `work` throws, nothing is written. Nothing created from the draft may be used afterwards. On the embedded
 * engine every other query waits until it ends.
 */
export async function inDraft<T>(store: Store, clock: Clock, work: (draft: Store) => Promise<T>): Promise<T> {
  const publications = createPublications()
  const result = await store.db.transaction(async (tx) => {
    // A failed mirror refresh fails the transaction too, which reports it.
    const hub = createChanges({ clock, log: () => undefined })
    const changes: Changes = {
      subscribe: hub.subscribe,
      async publish(table, id) {
        publications.add(table, id)
        await hub.publish(table, id)
      },
    }
    try {
      const { worker: _, ...rest } = store
      return await work({ ...rest, db: flat(tx), changes })
    } finally {
      hub.close()
    }
  })
  await publications.publishAll(store.changes)
  return result
}

/** A nested transaction runs as part of the outer one: any error fails the whole. */
function flat(tx: Db): Db {
  const same: Db = Object.create(tx)
  const transaction: Db['transaction'] = (work) => work(same as Parameters<typeof work>[0])
  return Object.assign(same, { transaction })
}
