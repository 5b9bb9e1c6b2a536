/** Counts the statements that a store sends, on the connection's own side of drizzle. */
import type { Store } from '#store/engine/store'

export interface Statements {
  /** Sent so far. */
  sent(): number
  /** Answered so far. */
  answered(): number
  stop(): void
}

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
