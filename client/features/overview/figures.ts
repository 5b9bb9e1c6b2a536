/** Figures of the overview by hour and model. */
import type { Overview } from '#shared/console/overview'
import type { UsageReportRow } from '#shared/console/usage'

/** The values of `count` hours from `start`, in the order of the day. */
export function byHour(rows: readonly UsageReportRow[], start: number, count: number, value: (row: UsageReportRow) => number): number[] {
  const at = new Map(rows.map((row) => [Date.parse(row.hour ?? ''), row]))
  return Array.from({ length: count }, (_, hour) => {
    const row = at.get(start + hour * 3_600_000)
    return row === undefined ? 0 : value(row)
  })
}

/** The five rows that were charged most; their order is that of the chart's colours. */
export const largest = (rows: readonly UsageReportRow[]): UsageReportRow[] =>
  rows.toSorted((a, b) => Number(b.charged) - Number(a.charged)).slice(0, 5)

/** What was charged by hour: a series for each of the largest models and one, named `rest`, for what is left. They add up to the hours. */
export function stacked(figures: Overview, rest: string): { label: string; values: number[] }[] {
  const start = Date.parse(figures.steps[0] ?? '')
  const charged = (rows: readonly UsageReportRow[]) => byHour(rows, start, figures.steps.length, (row) => Number(row.charged))
  const series = largest(figures.models).map(({ model }) => ({
    label: model ?? '',
    values: charged(figures.hoursByModel.filter((row) => row.model === model)),
  }))
  const left = charged(figures.hours).map((all, hour) =>
    Math.max(0, all - series.reduce((sum, { values }) => sum + (values[hour] ?? 0), 0)),
  )
  return left.some((value) => value > 1e-9) ? [...series, { label: rest, values: left }] : series
}
