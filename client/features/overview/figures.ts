/** Figures of the overview by hour. */
import type { UsageReportRow } from '#shared/console/usage'

/** The values of `count` hours from `start`, in the order of the day. */
export function byHour(rows: readonly UsageReportRow[], start: number, count: number, value: (row: UsageReportRow) => number): number[] {
  const at = new Map(rows.map((row) => [Date.parse(row.hour ?? ''), row]))
  return Array.from({ length: count }, (_, hour) => {
    const row = at.get(start + hour * 3_600_000)
    return row === undefined ? 0 : value(row)
  })
}
