/** Counts the statements that a store sends, below drizzle. */
import type { Store } from '#store/engine/store'

/** Counts since `countStatements`. */
export interface Statements {
  /** Number of statements sent so far. */
  sent(): number
  /** Number of statements answered so far. */
  answered(): number
  stop(): void
}

/** Starts counting. */
export function countStatements({ db }: Store): Statements {
  const { session } = db._
  const prepare = session.prepareQuery.bind(session)
  let [sent, answered] = [0, 0]
  session.prepareQuery = (...args) => {
    const query = prepare(...args)
    const execute = query.execute.bind(query)
    query.execute = (...values) => {
      sent += 1
      return execute(...values).finally(() => {
        answered += 1
      })
    }
    return query
  }
  return {
    sent: () => sent,
    answered: () => answered,
    stop() {
      session.prepareQuery = prepare
    },
  }
}
