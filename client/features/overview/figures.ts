/** Today against the same time last week, read from the usage report. */
import { callApi } from '#client/api/http.ts'
import { queryOf, readAll } from '#client/console/load.ts'
import type { Page } from '#shared/console/model'
import type { UsageReportRow, UsageTotals } from '#shared/console/usage'

/** What the overview shows. */
export interface Figures {
  now: UsageTotals | undefined
  before: UsageTotals | undefined
  /** By hour of the day: today until now, and the whole day a week ago. */
  hours: UsageReportRow[]
  hoursBefore: UsageReportRow[]
  models: UsageReportRow[]
  keys: UsageReportRow[]
  /** Instants of today's hours, oldest first. */
  steps: string[]
  at: string
}

const weekMs = 7 * 86_400_000

/** Reads them. Throws ApiError. */
export async function readFigures(_: boolean, signal: AbortSignal): Promise<Figures> {
  const now = new Date()
  const midnight = new Date(now)
  midnight.setHours(0, 0, 0, 0)
  const then = new Date(midnight.getTime() - weekMs)
  const from = midnight.toISOString()
  const past = { from: then.toISOString(), to: new Date(now.getTime() - weekMs).toISOString() }
  const totals = async (of: Record<string, string>) =>
    (await callApi<Page<UsageTotals>>('GET', `/api/usage?${queryOf(of)}`, undefined, signal)).data[0]
  const rows = (of: Record<string, string>) => readAll<UsageReportRow>(`/api/usage?${queryOf(of)}`, signal)
  const wholePast = { from: then.toISOString(), to: new Date(then.getTime() + 86_400_000).toISOString() }
  const [today, before, hours, hoursBefore, models, keys] = await Promise.all([
    totals({ from }),
    totals(past),
    rows({ from, by: 'hour' }),
    rows({ ...wholePast, by: 'hour' }),
    rows({ from, by: 'model' }),
    rows({ from, by: 'key' }),
  ])
  const steps = Array.from({ length: now.getHours() + 1 }, (_, hour) => new Date(midnight.getTime() + hour * 3_600_000).toISOString())
  return { now: today, before, hours, hoursBefore, models, keys, steps, at: now.toISOString() }
}

/** The values of 24 hours from `start`, in the order of the day. */
export function byHour(rows: readonly UsageReportRow[], start: number, count: number, value: (row: UsageReportRow) => number): number[] {
  const at = new Map(rows.map((row) => [Date.parse(row.hour ?? ''), row]))
  return Array.from({ length: count }, (_, hour) => {
    const row = at.get(start + hour * 3_600_000)
    return row === undefined ? 0 : value(row)
  })
}

/** A share as percent. */
export const percent = (share: number): string => `${(share * 100).toFixed(share !== 0 && Math.abs(share) < 0.1 ? 2 : 0)} %`
