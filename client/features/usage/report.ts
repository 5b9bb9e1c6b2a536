/** The usage report of the page: its query, and the chart and table built from the same rows. */
import { callApi } from '#client/api/http.ts'
import { queryOf, readAll } from '#client/console/load.ts'
import type { Series } from '#client/ui/chart/plot.ts'
import { isoDay, timeZone } from '#client/ui/time-zone.ts'
import type { Page } from '#shared/console/model'
import type { UsageReportRow, UsageTotals } from '#shared/console/usage'
import { formatUsd, parseUsd } from '#shared/money'
import { t } from './messages.ts'
import { type Comparison, comparedWith, daysBefore, daysOf, type Span } from './span.ts'

/** Dimensions of the table. */
export const dimensions = ['model', 'key', 'user', 'team', 'group', 'channel', 'day', 'hour'] as const
/** A dimension. */
export type Dimension = (typeof dimensions)[number]
/** Whether rows are times: in order, and not usable as filters. */
export const isTime = (by: Dimension): by is 'day' | 'hour' => by === 'day' || by === 'hour'
/** The query of the page. */
export interface Question {
  by: Dimension
  span: Span
  comparison: Comparison
  filters: Record<string, string>
}

/** All data of the page. */
export interface Report {
  question: Question
  rows: UsageReportRow[]
  total: UsageTotals | undefined
  before: UsageTotals | undefined
  /** Days or hours, oldest first, with what was charged to each dimension. */
  steps: string[]
  byStep: UsageReportRow[]
  whole: UsageReportRow[]
  /** The number of days, and whether the last one is over. */
  days: number
  isOver: boolean
  at: string
}

/** The parameters of the query for the API. */
export function paramsOf({ span, filters }: Question): Record<string, string> {
  const { start, end } = daysOf(span)
  return { from: start.toISOString(), ...(end && { to: end.toISOString() }), timezone: timeZone(), ...filters }
}

/** Reads the report. Throws ApiError. */
export async function readReport(question: Question, signal: AbortSignal): Promise<Report> {
  const params = paramsOf(question)
  const { start, days, end } = daysOf(question.span)
  const past = comparedWith(question.span, question.comparison)
  const earlier = { ...params, from: past.start.toISOString(), to: past.end.toISOString() }
  const step = days === 1 ? 'hour' : 'day'
  const totals = async (of: Record<string, string>) =>
    (await callApi<Page<UsageTotals>>('GET', `/api/usage?${queryOf(of)}`, undefined, signal)).data[0]
  const [rows, whole, total, before] = await Promise.all([
    readAll<UsageReportRow>(`/api/usage?${queryOf({ ...params, by: question.by })}`, signal, 10_000),
    readAll<UsageReportRow>(`/api/usage?${queryOf({ ...params, by: step })}`, signal),
    totals(params),
    totals(earlier),
  ])
  const byStep = isTime(question.by) ? [] : await readSteps(params, question.by, step, step === 'hour' ? 24 : days, rows, signal)
  return {
    question,
    rows,
    total,
    before,
    byStep,
    whole,
    steps: stepsOf(start, days),
    days,
    isOver: end !== undefined,
    at: new Date().toISOString(),
  }
}

/** Up to so many rows are all loaded. */
const fewRows = 2_000

/** By dimension and step: everything if there are few rows, otherwise only those with a series of their own. */
async function readSteps(
  params: Record<string, string>,
  by: Dimension,
  step: 'hour' | 'day',
  steps: number,
  rows: readonly UsageReportRow[],
  signal: AbortSignal,
): Promise<UsageReportRow[]> {
  const read = (only: Record<string, string>) =>
    readAll<UsageReportRow>(`/api/usage?${queryOf({ ...params, ...only, by: `${by},${step}` })}`, signal, fewRows)
  if (rows.length * steps <= fewRows) return read({})
  const ids = largest(rows, by).map((row) => nameOf(row, by).id)
  return (await Promise.all(ids.filter((id) => id !== '').map((id) => read({ [by]: id })))).flat()
}

function stepsOf(start: Date, days: number): string[] {
  if (days === 1) {
    const hours = Math.min(24, Math.floor((Date.now() - start.getTime()) / 3_600_000) + 1)
    return Array.from({ length: hours }, (_, hour) => new Date(start.getTime() + hour * 3_600_000).toISOString())
  }
  return Array.from({ length: days }, (_, at) => isoDay(daysBefore(start, -at)))
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

/** The rows by charge, largest first; times in chronological order. */
export function ordered(rows: readonly UsageReportRow[], by: Dimension): UsageReportRow[] {
  if (isTime(by)) return rows.toSorted((a, b) => (a[by] ?? '').localeCompare(b[by] ?? ''))
  return rows.toSorted((a, b) => Number(parseUsd(b.charged) - parseUsd(a.charged)))
}

/** Those with a series and a colour of their own. */
const largest = (rows: readonly UsageReportRow[], by: Dimension) => ordered(rows, by).slice(0, 5)

/** Five series and "Other", which add up to the total. */
export function seriesOf(report: Report, by: Dimension): { series: Series[]; coloured: string[] } {
  const sumsOf = (rows: readonly UsageReportRow[]) => {
    const sums = new Map<string, bigint>()
    for (const row of rows) sums.set(stepOf(row), (sums.get(stepOf(row)) ?? 0n) + parseUsd(row.charged))
    return report.steps.map((step) => sums.get(step) ?? 0n)
  }
  const usd = (sums: readonly bigint[]) => sums.map((sum) => Number(formatUsd(sum)))
  const whole = sumsOf(report.whole)
  if (isTime(by)) return { series: [{ label: t('charged'), values: usd(whole) }], coloured: [] }
  const known = new Set(report.byStep.map((row) => nameOf(row, by).id))
  const top = largest(report.rows, by).flatMap((row) => {
    const { id, name } = nameOf(row, by)
    return known.has(id) ? [{ id, name, sums: sumsOf(report.byStep.filter((one) => nameOf(one, by).id === id)) }] : []
  })
  const left = whole.map((all, at) => top.reduce((rest, { sums }) => rest - (sums[at] ?? 0n), all))
  const series = top.map(({ name, sums }): Series => ({ label: name, values: usd(sums) }))
  const others = report.rows.length - top.length
  if (others > 0) series.push({ label: t('other', { count: others }), values: usd(left) })
  return { series, coloured: top.map(({ id }) => id) }
}
