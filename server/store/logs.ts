/** Reading usage rows: a page of them, newest first, or one. They are written by the ledger, with the money. */
import { and, desc, eq, type SQL, sql } from 'drizzle-orm'
import { logs } from '#db/schema'
import { GatewayError } from '#shared/errors'
import type { Store } from './store.ts'

export type StoredLog = typeof logs.$inferSelect

export interface LogPage {
  rows: StoredLog[]
  /** What to hand in as `after` for the rows before these; null at the end. */
  next: string | null
}

/** Newest first, of one user or of all. Rows that come in between two pages shift nothing. Throws `invalid_value` for an `after` that is not ours. */
export async function pageLogs(store: Store, asked: { userId?: string; limit: number; after?: string }): Promise<LogPage> {
  const found = await store.db
    .select()
    .from(logs)
    .where(and(ownedBy(asked.userId), asked.after === undefined ? undefined : olderThan(asked.after)))
    .orderBy(desc(logs.at), desc(logs.requestId))
    .limit(asked.limit + 1)
  const rows = found.slice(0, asked.limit)
  const last = rows.at(-1)
  return { rows, next: last && found.length > rows.length ? `${last.at.getTime()}.${last.requestId}` : null }
}

/** Undefined when there is none, or when it is another user's. */
export async function findLog(store: Store, requestId: string, userId?: string): Promise<StoredLog | undefined> {
  const [row] = await store.db
    .select()
    .from(logs)
    .where(and(eq(logs.requestId, requestId), ownedBy(userId)))
  return row
}

const ownedBy = (userId: string | undefined): SQL | undefined => (userId === undefined ? undefined : eq(logs.userId, userId))

function olderThan(after: string): SQL {
  const [, at, requestId] = /^(\d{1,15})\.([\x21-\x7e]{1,200})$/.exec(after) ?? []
  if (at === undefined || requestId === undefined) {
    throw new GatewayError('invalid_value', "'after' must be the 'next' of an earlier page.", { param: 'after' })
  }
  return sql`(${logs.at}, ${logs.requestId}) < (${sql.param(new Date(Number(at)), logs.at)}, ${requestId})`
}
