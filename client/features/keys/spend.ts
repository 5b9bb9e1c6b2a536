/** What keys have spent by day, for the small charts. */
import { createLoad, type Load, queryOf, readAll } from '#client/console/load.ts'
import { timeZone } from '#client/ui/console/time.ts'
import type { UsageReportRow } from '#shared/console/usage'
import { formatUsd, parseUsd } from '#shared/money'

const dayMs = 86_400_000

/** Usage by key id. */
export interface KeySpend {
  /** Dates, oldest first, YYYY-MM-DD. */
  days: string[]
  /** USD by day, in the order of `days`, and sums of the whole time. */
  of(keyId: string): { byDay: number[]; charged: string; requests: number; errors: number }
  /** USD of all keys that were read. */
  charged: string
}

/** The last `days` days in this browser's time zone; of one key where `key` is set. */
export function createSpend(days: number, key: () => string | undefined = () => undefined): Load<KeySpend> {
  return createLoad(
    () => ({ key: key() }),
    async ({ key }, signal) => {
      const dates = lastDays(days)
      const from = new Date(Date.now() - (days + 1) * dayMs).toISOString()
      const query = queryOf({ by: 'key,day', timezone: timeZone(), from, key })
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
    charged: sum(wanted),
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
  const form = new Intl.DateTimeFormat('en-CA', { year: 'numeric', month: '2-digit', day: '2-digit' })
  return Array.from({ length: count }, (_, back) => {
    const day = new Date()
    day.setDate(day.getDate() - (count - 1 - back))
    return form.format(day)
  })
}
