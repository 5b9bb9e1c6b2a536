/** Wraps every query and transaction of a database handle: translates errors, and reports their duration. */
import type { Clock } from '#runtime/clock'
import { asBooksError } from './sql-state.ts'
import type { Db, Store } from './store.ts'

/** A call that is over. */
export interface DatabaseCall {
  /** `worker`: on the thread beside the database, for accounts and limits; the others run from this thread. */
  kind: 'worker' | 'query' | 'transaction'
  ms: number
  failed: boolean
}

type Around = <T>(kind: 'query' | 'transaction', run: () => Promise<T>) => Promise<T>

/** Patches the handle in place, so that lost connections are `books_unavailable`. Inside a transaction errors stay raw until it ends. */
export function guard(db: Db): Db {
  return surround(db, async (_, run) => {
    try {
      return await run()
    } catch (thrown) {
      throw asBooksError(thrown)
    }
  })
}

/** Patches the store in place: reports every call from now on to `onCall`. Queries inside a transaction belong to it. */
export function watchCalls(
  { db, worker }: Pick<Store, 'db' | 'worker'>,
  clock: Pick<Clock, 'monotonic'>,
  onCall: (call: DatabaseCall) => void,
): void {
  async function timed<T>(kind: DatabaseCall['kind'], run: () => Promise<T>): Promise<T> {
    const from = clock.monotonic()
    let failed = true
    try {
      const result = await run()
      failed = false
      return result
    } finally {
      onCall({ kind, ms: clock.monotonic() - from, failed })
    }
  }
  surround(db, timed)
  if (!worker) return
  const call = worker.call.bind(worker)
  worker.call = (asked) => timed('worker', () => call(asked))
}

function surround(db: Db, around: Around): Db {
  const { session } = db._
  const prepareQuery = session.prepareQuery.bind(session)
  session.prepareQuery = (...args) => {
    const query = prepareQuery(...args)
    const execute = query.execute.bind(query)
    query.execute = (...values) => around('query', () => execute(...values))
    return query
  }
  const transaction = session.transaction.bind(session)
  session.transaction = (work, config) => around('transaction', () => transaction(work, config))
  return db
}
