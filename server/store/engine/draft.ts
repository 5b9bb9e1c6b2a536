/**
 * A database as it will be: many changes that depend on each other are made and read back before anybody else sees one of them,
 * and then all hold at once, or none.
 */
import type { Clock } from '#runtime/clock'
import { createChanges } from './changes.ts'
import { createPublications } from './publications.ts'
import type { Changes, Db, Store } from './store.ts'

/**
 * Runs `work` in one transaction, on a store whose mirrors see what it has written so far; mirrors of any other store hear of it
 * after the commit. When `work` throws, nothing was written. Nothing that it makes from the draft may be used afterwards. On the
 * embedded engine every other query waits until it ends.
 */
export async function inDraft<T>(store: Store, clock: Clock, work: (draft: Store) => Promise<T>): Promise<T> {
  const publications = createPublications()
  const result = await store.db.transaction(async (tx) => {
    // A mirror that could not be read has broken the transaction too, which says so itself.
    const hub = createChanges({ clock, log: () => undefined })
    const changes: Changes = {
      subscribe: hub.subscribe,
      async publish(table, id) {
        publications.add(table, id)
        await hub.publish(table, id)
      },
    }
    try {
      return await work({ ...store, db: flat(tx), changes })
    } finally {
      hub.close()
    }
  })
  await publications.tell(store.changes)
  return result
}

/** What would be a transaction inside this one is a part of it: a fault in any part is a fault of the whole. */
function flat(tx: Db): Db {
  const same: Db = Object.create(tx)
  const transaction: Db['transaction'] = (work) => work(same as Parameters<typeof work>[0])
  return Object.assign(same, { transaction })
}
