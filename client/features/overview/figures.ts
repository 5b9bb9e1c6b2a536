/** Figures of the overview by step (hour or day) and model. */
import type { Overview } from '#shared/console/overview'
import type { UsageReportRow } from '#shared/console/usage'

/** The step of a row: its day, or the instant of its hour. */
const stepOf = (row: UsageReportRow): string => row.day ?? (row.hour === undefined ? '' : new Date(row.hour).toISOString())

/** The values of these steps, in order; 0 where there is no row. */
export function bySteps(rows: readonly UsageReportRow[], steps: readonly string[], value: (row: UsageReportRow) => number): number[] {
  const at = new Map(rows.map((row) => [stepOf(row), row]))
  return steps.map((step) => {
    const row = at.get(step)
    return row === undefined ? 0 : value(row)
  })
}

/** The steps that the figures are compared with: the whole day a week before, or as many days before. */
export function stepsBefore({ steps, days }: Pick<Overview, 'steps' | 'days'>): string[] {
  const start = Date.parse(steps[0] ?? '')
  if (Number.isNaN(start)) return []
  if (days === 1) return Array.from({ length: 24 }, (_, hour) => new Date(start - 7 * 86_400_000 + hour * 3_600_000).toISOString())
  // Calculated in UTC, where every day has 24 hours.
  return steps.map((step) => new Date(Date.parse(step) - days * 86_400_000).toISOString().slice(0, 10))
}

/** The five rows that were charged most; their order is that of the chart's colours. */
export const largest = (rows: readonly UsageReportRow[]): UsageReportRow[] =>
  rows.toSorted((a, b) => Number(b.charged) - Number(a.charged)).slice(0, 5)

/** Charges by step: a series for each of the largest models, and one named `rest` for the others. They add up to the totals. */
export function stacked(figures: Overview, rest: string): { label: string; values: number[] }[] {
  const charged = (rows: readonly UsageReportRow[]) => bySteps(rows, figures.steps, (row) => Number(row.charged))
  const series = largest(figures.models).map(({ model }) => ({
    label: model ?? '',
    values: charged(figures.hoursByModel.filter((row) => row.model === model)),
  }))
  const left = charged(figures.hours).map((all, at) => Math.max(0, all - series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0)))
  return left.some((value) => value > 1e-9) ? [...series, { label: rest, values: left }] : series
}
