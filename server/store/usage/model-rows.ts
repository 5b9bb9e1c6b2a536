/** Usage rows of one model, page by page, for callers that need all of them. */
import { and, asc, eq, gte, lt, sql } from 'drizzle-orm'
import { logs } from '#db/schema'
import type { Db } from '#store/engine/store'
import { type StoredLog, unpacked } from '#store/ledger/row-detail'

/** Rows per statement: on the embedded engine all others wait for it. */
const usualPage = 500

/** The model, and the span of time; the end is exclusive. */
export interface ModelRows {
  model: string
  from: Date
  to: Date
}

/** The rows, oldest first. Includes rows added meanwhile if the scan has not passed their time. */
export async function* modelRows(db: Db, { model, from, to }: ModelRows, page = usualPage): AsyncGenerator<StoredLog[]> {
  const within = and(eq(logs.model, model), lt(logs.at, to))
  let last: StoredLog | undefined
  do {
    const at = sql.param(last?.at ?? from, logs.at)
    // Both conditions are needed: the pair for the order, the time alone for partition pruning.
    const after = last && sql`(${logs.at}, ${logs.requestId}) > (${at}, ${last.requestId})`
    const rows = await db
      .select()
      .from(logs)
      .where(and(within, gte(logs.at, at), after))
      .orderBy(asc(logs.at), asc(logs.requestId))
      .limit(page)
    const read = rows.map(unpacked)
    if (read.length > 0) yield read
    last = read.length < page ? undefined : read.at(-1)
  } while (last)
}
