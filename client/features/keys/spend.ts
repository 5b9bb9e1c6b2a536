/** Spend of keys by day, for the small charts. */
import { type Accessor, createMemo } from 'solid-js'
import { createRowsUsage } from '#client/console/lists/rows-usage.ts'
import { createLoad, type Load, queryOf, readAll } from '#client/console/load.ts'
import { dayOf, isoDay, midnightOf, timeZone } from '#client/ui/time-zone.ts'
import type { UsageReportRow } from '#shared/console/usage'
import { formatUsd, parseUsd } from '#shared/money'

const dayMs = 86_400_000

/** Usage by key id. */
export interface KeySpend {
  /** Dates, oldest first, YYYY-MM-DD. */
  days: string[]
  /** USD by day, in the order of `days`, and totals. */
  of(keyId: string): { byDay: number[]; charged: string; requests: number; errors: number }
}

/** The spend of keys with these ids in the last `days` days; undefined until some is known. */
export function createSpendOf(days: number, ids: Accessor<readonly string[] | undefined>): Accessor<KeySpend | undefined> {
  const dates = lastDays(days)
  const usage = createRowsUsage('keys', ids, { by: 'key,day', timezone: timeZone(), from: daysAgo(days) })
  return createMemo(() => {
    const rows = usage()
    return rows && spendOf(dates, rows)
  })
}

const daysAgo = (days: number) => new Date(Date.now() - (days + 1) * dayMs).toISOString()

/** The last `days` days of one key, in the user's time zone. */
export function createSpend(days: number, key: () => string): Load<KeySpend> {
  return createLoad(
    () => ({ key: key() }),
    async ({ key }, signal) => {
      const dates = lastDays(days)
      const query = queryOf({ by: 'key,day', timezone: timeZone(), from: daysAgo(days), key })
      const rows = await readAll<UsageReportRow>(`/api/usage?${query}`, signal, 4_000)
      return spendOf(dates, rows)
    },
  )
}

/** The sums of report rows by key and day. */
export function spendOf(dates: string[], rows: readonly UsageReportRow[]): KeySpend {
  const wanted = rows.filter((row) => row.key && dates.includes(row.day ?? ''))
  const sum = (of: readonly UsageReportRow[]) => formatUsd(of.reduce((total, row) => total + parseUsd(row.charged), 0n))
  return {
    days: dates,
    of(keyId) {
      const own = wanted.filter((row) => row.key?.id === keyId)
      return {
        byDay: dates.map((day) => Number(own.find((row) => row.day === day)?.charged ?? 0)),
        charged: sum(own),
        requests: own.reduce((total, row) => total + row.requests, 0),
        errors: own.reduce((total, row) => total + row.errors, 0),
      }
    },
  }
}

function lastDays(count: number): string[] {
  const [year, month, today] = dayOf(new Date())
  return Array.from({ length: count }, (_, at) => isoDay(midnightOf(year, month, today - (count - 1 - at))))
}
