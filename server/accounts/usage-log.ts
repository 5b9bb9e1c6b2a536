/** Access to usage rows: users see their own, administrators see all, including the fields only they may see. */
import type { BillLine, LogRow } from '#shared/console/log'
import type { Page } from '#shared/console/model'
import { formatUsd } from '#shared/money'
import type { Store } from '#store/engine/store'
import { unsettledAmong } from '#store/ledger/interrupted'
import type { StoredLog } from '#store/ledger/row-detail'
import { findLog, type LogsAsked, pageLogs } from '#store/usage/logs'
import type { User } from './caller.ts'
import type { Directory } from './directory.ts'
import { notFound } from './refusals.ts'
import { visibleTo } from './usage.ts'

/** Reads the usage log. */
export interface UsageLog {
  /**
   * One page, newest first. Throws `invalid_value` when `after` is not a cursor of this log, and `not_permitted` for filters that
   * `visibleTo` rejects.
   */
  page(reader: User, asked: LogsAsked): Promise<Page<LogRow>>
  /** One request, with its bill lines if the row has any. Throws `not_found`, also for another user's request. */
  find(reader: User, requestId: string): Promise<{ row: LogRow; lines: BillLine[] | null }>
}

/** The usage log of this store. */
export function createUsageLog(store: Store, directory: Directory): UsageLog {
  return {
    async page(reader, { filter = {}, ...asked }) {
      const { rows, next } = await pageLogs(store, { ...asked, filter: await visibleTo(reader, filter, store, directory) })
      const open = await unsettledAmong(
        store,
        rows.map(({ requestId }) => requestId),
      )
      return { data: rows.map((row) => logRow(row, !open.has(row.requestId), reader, directory)), next }
    },
    async find(reader, requestId) {
      const row = await findLog(store, requestId, reader.role === 'admin' ? undefined : reader.id)
      if (row === undefined) throw notFound()
      const open = await unsettledAmong(store, [requestId])
      return { row: logRow(row, !open.has(requestId), reader, directory), lines: row.lines }
    },
  }
}

function logRow(row: StoredLog, settled: boolean, reader: User, directory: Directory): LogRow {
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
    charged: formatUsd(row.charged),
    settled,
    price,
    losses,
    firstTokenMs,
    totalMs,
  }
  if (reader.role !== 'admin') return own
  const { upstreamModel, channel, attempts, upstreamCost, upstreamPrice } = row
  const second = { upstreamCost: usd(upstreamCost), margin: usd(upstreamCost === null ? null : row.cost - upstreamCost), upstreamPrice }
  const user = { id: row.userId, name: directory.users.get(row.userId)?.name ?? null }
  return { ...own, user, upstreamModel, channel, attempts, ...second }
}

const usd = (nano: bigint | null): string | null => (nano === null ? null : formatUsd(nano))
