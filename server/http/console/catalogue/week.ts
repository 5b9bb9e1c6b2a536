/** The usage of the last seven days, by whole hours. */
import type { User } from '#accounts/caller'
import type { ConsoleServices } from '#http/console/route/services'
import type { UsageKey, UsageReportRow, UsageTotals } from '#shared/console/usage'

/** Milliseconds. */
export const hourMs = 3_600_000
const weekMs = 7 * 24 * hourMs
/** A report of models and groups has no more rows. */
const mostRows = 1_000_000

/** The end is exclusive. */
export interface Week {
  from: Date
  to: Date
}

/** The last seven days, up to the end of the current hour. */
export function lastWeek(clock: Pick<ConsoleServices['clock'], 'now'>): Week {
  const to = new Date(Math.ceil((clock.now() + 1) / hourMs) * hourMs)
  return { from: new Date(to.getTime() - weekMs), to }
}

/** The sums of a week by these dimensions; `only`: of these users and models. */
export async function sumsOf(
  { accounts }: Pick<ConsoleServices, 'accounts'>,
  asker: User,
  week: Week,
  by: readonly UsageKey[],
  only: { users?: readonly string[]; models?: readonly string[] } = {},
): Promise<UsageReportRow[]> {
  const { rows } = await accounts.usageReports.report(asker, { ...week, by, timezone: 'UTC', filter: {}, only, limit: mostRows })
  return rows
}

/** The sums of the last seven days by model. */
export async function weekByModel(deps: Pick<ConsoleServices, 'accounts' | 'clock'>, asker: User): Promise<Map<string, UsageTotals>> {
  const rows = await sumsOf(deps, asker, lastWeek(deps.clock), ['model'])
  return new Map(rows.map(({ model = '', ...totals }) => [model, totals]))
}
