/** Access to usage rows: users see their own, administrators see all, including the fields only they may see. */
import type { BillLine, LogRow } from '#shared/console/log'
import type { Page } from '#shared/console/model'
import { house, isTeamId, memberIdOf, userOfMember } from '#shared/ids'
import { formatUsd } from '#shared/money'
import type { Store } from '#store/engine/store'
import { unsettledAmong } from '#store/ledger/interrupted'
import { answeredModel, type StoredLog } from '#store/ledger/row-detail'
import { findLog, type LogsAsked, pageLogs } from '#store/usage/logs'
import type { User } from './caller.ts'
import type { Directory } from './directory.ts'
import { notFound } from './refusals.ts'
import { roleIn, seesAll } from './team-rights.ts'
import { type AskedFilter, onlyAdministrators, visibleTo } from './usage.ts'

/** Reads the usage log. */
export interface UsageLog {
  /**
   * One page, newest first. Throws `invalid_value` when `after` is not a cursor of this log, and `not_permitted` for filters that
   * `visibleTo` rejects, and for `upstreamModel` from non-administrators.
   */
  page(reader: User, asked: Omit<LogsAsked, 'filter'> & { filter?: AskedFilter }): Promise<Page<LogRow>>
  /**
   * One request, with its bill lines if the row has any. Throws `not_found`, also for another user's request, and for one of a team that
   * the reader's role there does not show.
   */
  find(reader: User, requestId: string): Promise<{ row: LogRow; lines: BillLine[] | null }>
}

/** The usage log of this store. */
export function createUsageLog(store: Store, directory: Directory): UsageLog {
  return {
    async page(reader, { filter = {}, ...asked }) {
      if (reader.role !== 'admin' && asked.conditions?.upstreamModel !== undefined) throw onlyAdministrators('upstreamModel')
      const { rows, next } = await pageLogs(store, { ...asked, filter: await visibleTo(reader, filter, store, directory) })
      const open = await unsettledAmong(
        store,
        rows.map(({ requestId }) => requestId),
      )
      return { data: rows.map((row) => logRow(row, !open.has(row.requestId), reader, directory)), next }
    },
    async find(reader, requestId) {
      const row = await findLog(store, requestId)
      if (row === undefined || !isShownTo(reader, row, directory)) throw notFound()
      const open = await unsettledAmong(store, [requestId])
      return { row: logRow(row, !open.has(requestId), reader, directory), lines: row.lines }
    },
  }
}

function isShownTo(reader: User, { userId, memberId }: StoredLog, directory: Directory): boolean {
  if (reader.role === 'admin' || userId === reader.id) return true
  const role = roleIn(directory, reader, userId)
  return seesAll(role) || (role !== undefined && memberId === memberIdOf(userId, reader.id))
}

function logRow(row: StoredLog, settled: boolean, reader: User, directory: Directory): LogRow {
  const { requestId, key, group, model, operation, dialect, stream, status, end, error } = row
  const { usage, provenance, price, losses, firstTokenMs, totalMs } = row
  const open = { requestId, at: row.at.toISOString(), key, group, model, operation, dialect, stream, status, end, error }
  const answered = answeredModel(row.attempts)
  const own = {
    ...open,
    ...(error?.count !== undefined && { repeats: error.count }),
    ...(answered !== undefined && { answeredModel: answered }),
    ...(row.batch !== undefined && { batch: row.batch }),
    usage,
    provenance,
    cost: formatUsd(row.cost),
    charged: formatUsd(row.charged),
    settled,
    price,
    losses,
    firstTokenMs,
    totalMs,
    ...(row.replayOf !== undefined && { replayOf: row.replayOf }),
  }
  const paid = isTeamId(row.userId) ? teamOf(row, directory) : undefined
  if (reader.role !== 'admin') return paid ? { ...own, ...paid } : own
  const { upstreamModel, channel, attempts, upstreamCost, upstreamPrice } = row
  const second = { upstreamCost: usd(upstreamCost), margin: usd(upstreamCost === null ? null : row.cost - upstreamCost), upstreamPrice }
  const user = row.userId === house.id ? house : { id: row.userId, name: directory.users.get(row.userId)?.name ?? null }
  return { ...own, ...(paid ?? { user }), upstreamModel, channel, attempts, ...second }
}

/** The team that paid, and for whom: null for requests of a former member's key. */
function teamOf({ userId, memberId }: StoredLog, { teams, users }: Directory): Required<Pick<LogRow, 'team' | 'user'>> {
  const member = memberId === null ? null : userOfMember(memberId)
  const user = member === null ? null : { id: member, name: users.get(member)?.name ?? null }
  return { team: { id: userId, name: teams.get(userId)?.team.name ?? null }, user }
}

const usd = (nano: bigint | null): string | null => (nano === null ? null : formatUsd(nano))
