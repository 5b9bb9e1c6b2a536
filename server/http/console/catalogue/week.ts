/** The usage of the last seven days, by whole hours. */
import type { User } from '#accounts/caller'
import type { ConsoleServices } from '#http/console/route/services'
import type { UsageKey, UsageReportRow, UsageTotals } from '#shared/console/usage'

const hourMs = 3_600_000
const weekMs = 7 * 24 * hourMs
/** A report of models and groups has no more rows. */
const mostRows = 1_000_000

/** Its sums by these dimensions, and of which time they are. */
export async function weekOf(
  { accounts, clock }: Pick<ConsoleServices, 'accounts' | 'clock'>,
  asker: User,
  by: readonly UsageKey[],
): Promise<{ from: Date; to: Date; rows: UsageReportRow[] }> {
  const to = new Date(Math.ceil((clock.now() + 1) / hourMs) * hourMs)
  const from = new Date(to.getTime() - weekMs)
  const { rows } = await accounts.usageReports.report(asker, { from, to, by, timezone: 'UTC', filter: {}, limit: mostRows })
  return { from, to, rows }
}

/** Its sums by model. */
export async function weekByModel(deps: Pick<ConsoleServices, 'accounts' | 'clock'>, asker: User): Promise<Map<string, UsageTotals>> {
  const { rows } = await weekOf(deps, asker, ['model'])
  return new Map(rows.map(({ model = '', ...totals }) => [model, totals]))
}
