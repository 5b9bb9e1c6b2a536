/** The usage report of the page: what is asked, and how rows become a chart and a table of the same numbers. */
import { callApi } from '#client/api/http.ts'
import { queryOf, readAll } from '#client/console/load.ts'
import type { Series } from '#client/ui/chart/plot.ts'
import { timeZone } from '#client/ui/console/time.ts'
import type { Page } from '#shared/console/model'
import type { UsageReportRow, UsageTotals } from '#shared/console/usage'
import { formatUsd, parseUsd } from '#shared/money'
import { t } from './messages.ts'
import { daysBefore, daysOf, type Span } from './span.ts'

/** Dimensions of the table. */
export const dimensions = ['model', 'key', 'user', 'team', 'group', 'channel', 'day'] as const
/** A dimension. */
export type Dimension = (typeof dimensions)[number]
/** What the page asks. */
export interface Question {
  by: Dimension
  span: Span
  filters: Record<string, string>
}

/** Everything that the page shows. */
export interface Report {
  rows: UsageReportRow[]
  total: UsageTotals | undefined
  before: UsageTotals | undefined
  /** Days or hours, oldest first, with what was charged to each dimension. */
  steps: string[]
  byStep: UsageReportRow[]
  latency: UsageReportRow[]
  /** How many days these are, and whether the last one is over. */
  days: number
  isOver: boolean
  at: string
}

/** The parameters of the question, as the API takes them. */
export function paramsOf({ span, filters }: Question): Record<string, string> {
  const { start, end } = daysOf(span)
  return { from: start.toISOString(), ...(end && { to: end.toISOString() }), timezone: timeZone(), ...filters }
}

/** Reads the report. Throws ApiError. */
export async function readReport(question: Question, signal: AbortSignal): Promise<Report> {
  const params = paramsOf(question)
  const { start, days, end } = daysOf(question.span)
  const earlier = { ...params, from: daysBefore(start, days).toISOString(), to: start.toISOString() }
  const step = days === 1 ? 'hour' : 'day'
  const along = question.by === 'day' ? step : `${question.by},${step}`
  const totals = async (of: Record<string, string>) =>
    (await callApi<Page<UsageTotals>>('GET', `/api/usage?${queryOf(of)}`, undefined, signal)).data[0]
  const [rows, byStep, latency, total, past] = await Promise.all([
    readAll<UsageReportRow>(`/api/usage?${queryOf({ ...params, by: question.by })}`, signal, 4_000),
    readAll<UsageReportRow>(`/api/usage?${queryOf({ ...params, by: along })}`, signal, 20_000),
    readAll<UsageReportRow>(`/api/usage?${queryOf({ ...params, by: step })}`, signal),
    totals(params),
    totals(earlier),
  ])
  return {
    rows,
    total,
    before: past,
    byStep,
    latency,
    steps: stepsOf(start, days),
    days,
    isOver: end !== undefined,
    at: new Date().toISOString(),
  }
}

const isoDay = new Intl.DateTimeFormat('en-CA', { year: 'numeric', month: '2-digit', day: '2-digit' })

function stepsOf(start: Date, days: number): string[] {
  if (days === 1) {
    const hours = Math.min(24, Math.floor((Date.now() - start.getTime()) / 3_600_000) + 1)
    return Array.from({ length: hours }, (_, hour) => new Date(start.getTime() + hour * 3_600_000).toISOString())
  }
  return Array.from({ length: days }, (_, at) => isoDay.format(daysBefore(start, -at)))
}

/** The step of a row: its day, or the instant of its hour. */
export const stepOf = (row: UsageReportRow): string => row.day ?? (row.hour === undefined ? '' : new Date(row.hour).toISOString())

/** The name of a row in a dimension, and the value by which others are filtered. */
export function nameOf(row: UsageReportRow, by: Dimension): { id: string; name: string } {
  if (by === 'key') return row.key ? { id: row.key.id, name: row.key.name ?? t('unknown') } : { id: '', name: t('playground') }
  if (by === 'user') return { id: row.user?.id ?? '', name: row.user?.name ?? t('unknown') }
  if (by === 'team') return { id: row.team?.id ?? '', name: row.team ? (row.team.name ?? t('unknown')) : t('noTeam') }
  if (by === 'channel') return { id: row.channel ?? '', name: row.channel ?? t('noChannel') }
  const name = row[by] ?? ''
  return { id: name, name }
}

/** The rows by what was charged, the largest first; days by date. */
export function ordered(rows: readonly UsageReportRow[], by: Dimension): UsageReportRow[] {
  if (by === 'day') return rows.toSorted((a, b) => (a.day ?? '').localeCompare(b.day ?? ''))
  return rows.toSorted((a, b) => Number(parseUsd(b.charged) - parseUsd(a.charged)))
}

/** Five series and "Other", which add up to everything. */
export function seriesOf(report: Report, by: Dimension): { series: Series[]; coloured: string[] } {
  const whole = (rows: readonly UsageReportRow[]) => {
    const sums = new Map<string, bigint>()
    for (const row of rows) sums.set(stepOf(row), (sums.get(stepOf(row)) ?? 0n) + parseUsd(row.charged))
    return report.steps.map((step) => Number(formatUsd(sums.get(step) ?? 0n)))
  }
  if (by === 'day') return { series: [{ label: t('charged'), values: whole(report.byStep) }], coloured: [] }
  const named = ordered(report.rows, by).map((row) => nameOf(row, by))
  const top = named.slice(0, 5)
  const rest = named.slice(5)
  const of = (ids: readonly string[]) => report.byStep.filter((row) => ids.includes(nameOf(row, by).id))
  const series = top.map(({ id, name }): Series => ({ label: name, values: whole(of([id])) }))
  if (rest.length > 0) series.push({ label: t('other', { count: rest.length }), values: whole(of(rest.map(({ id }) => id))) })
  return { series, coloured: top.map(({ id }) => id) }
}
