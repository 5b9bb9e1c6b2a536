/** Turns lost connections into `books_unavailable`: wraps every query and transaction of a database handle. */
import { asBooksError } from './sql-state.ts'
import type { Db } from './store.ts'

/** Patches the handle in place, so that every query rejects with a translated error. Inside a transaction errors stay raw until it ends. */
export function guard(db: Db): Db {
  const { session } = db._
  const prepareQuery = session.prepareQuery.bind(session)
  session.prepareQuery = (...args) => {
    const query = prepareQuery(...args)
    const execute = query.execute.bind(query)
    query.execute = (...values) => translated(execute(...values))
    return query
  }
  const transaction = session.transaction.bind(session)
  session.transaction = (work, config) => translated(transaction(work, config))
  return db
}

async function translated<T>(result: Promise<T>): Promise<T> {
  try {
    return await result
  } catch (thrown) {
    throw asBooksError(thrown)
  }
}
