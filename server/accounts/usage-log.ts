/** Who may read which usage rows: everyone their own, administrators all, with what only administrators may see. */
import type { LogRow } from '#shared/console/log'
import type { Page } from '#shared/console/model'
import { formatUsd } from '#shared/money'
import { findLog, pageLogs, type StoredLog } from '#store/logs'
import type { Store } from '#store/store'
import type { User } from './caller.ts'
import { notFound } from './refusals.ts'

export interface UsageLog {
  /** Newest first. Throws `invalid_value` for an `after` that is not one of ours. */
  page(reader: User, paging: { limit: number; after?: string }): Promise<Page<LogRow>>
  /** Throws `not_found`, also for another user's request. */
  find(reader: User, requestId: string): Promise<LogRow>
}

export function createUsageLog(store: Store): UsageLog {
  return {
    async page(reader, paging) {
      const { rows, next } = await pageLogs(store, { ...paging, ...(reader.role !== 'admin' && { userId: reader.id }) })
      return { data: rows.map((row) => logRow(row, reader)), next }
    },
    async find(reader, requestId) {
      const row = await findLog(store, requestId, reader.role === 'admin' ? undefined : reader.id)
      if (row === undefined) throw notFound()
      return logRow(row, reader)
    },
  }
}

function logRow(row: StoredLog, reader: User): LogRow {
  const { requestId, key, group, model, operation, dialect, stream, status, end, error } = row
  const { usage, provenance, price, losses, firstTokenMs, totalMs } = row
  const open = { requestId, at: row.at.toISOString(), key, group, model, operation, dialect, stream, status, end, error }
  const answered = row.attempts.findLast(({ phase }) => phase === 'stream' || phase === 'done')?.model
  const own = {
    ...open,
    ...(answered !== undefined && { answeredModel: answered }),
    usage,
    provenance,
    cost: formatUsd(row.cost),
    price,
    losses,
    firstTokenMs,
    totalMs,
  }
  if (reader.role !== 'admin') return own
  return { ...own, upstreamModel: row.upstreamModel, channel: row.channel, attempts: row.attempts }
}
