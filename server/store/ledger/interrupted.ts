/**
 * Requests recorded as interrupted although their process may be alive: their data folder was copied or moved while it ran. The
 * real end of such a request replaces its row, once.
 */
import { inArray, sql } from 'drizzle-orm'
import { unsettled } from '#db/schema'
import type { Store } from '#store/engine/store'
import type { BookLine } from './book-line.ts'
import { rowByColumns, storable } from './line-columns.ts'

type Line = Pick<BookLine, 'row' | 'accounts' | 'owed'>

const json = (value: unknown) => sql`${JSON.stringify(value, storable)}::text::jsonb`

/** Records, before they are written, those of the interrupted requests that have no usage row yet. */
export async function noteInterrupted({ db }: Pick<Store, 'db'>, lines: readonly Line[]): Promise<void> {
  const sent = lines.map(({ row: { at, requestId } }) => ({ at, id: requestId }))
  await db.execute(sql`
    insert into unsettled (request_id, at) select l.id, l.at from jsonb_to_recordset(${json(sent)}) as l(at timestamptz, id text)
    where not exists (select from logs where logs.at = l.at and logs.request_id = l.id) on conflict do nothing`)
}

/** Corrects the rows of those of these requests that were recorded as interrupted within a day. One transaction. */
export async function correctInterrupted({ db }: Pick<Store, 'db'>, lines: readonly Line[]): Promise<void> {
  if (lines.length === 0) return
  const sent = lines.map(({ row, accounts, owed }, n) => ({ n, row: rowByColumns(row), accounts, cost: owed }))
  await db.execute(sql`select books_correct(${json(sent)})`)
}

/** Those of these requests whose charge may still change. */
export async function unsettledAmong({ db }: Pick<Store, 'db'>, requestIds: readonly string[]): Promise<ReadonlySet<string>> {
  if (requestIds.length === 0) return new Set()
  const isRecent = sql`${unsettled.since} > clock_timestamp() - interval '1 day'`
  const rows = await db
    .select({ id: unsettled.requestId })
    .from(unsettled)
    .where(sql`${inArray(unsettled.requestId, [...requestIds])} and ${isRecent}`)
  return new Set(rows.map(({ id }) => id))
}

/** Deletes records of requests that can no longer be corrected. */
export async function sweepInterrupted({ db }: Pick<Store, 'db'>): Promise<void> {
  await db.delete(unsettled).where(sql`${unsettled.since} < clock_timestamp() - interval '1 day'`)
}
