import { Show } from 'solid-js'
import { Meter } from '#client/ui/console/meter.tsx'
import { formatMoney, formatPercent } from '#client/ui/format.ts'
import type { Budget, BudgetLeft, Limits } from '#shared/console/limits'
import { formatUsd, parseUsd } from '#shared/money'
import { tightest } from './limits.ts'
import { ts } from './messages.ts'

const per = { daily: 'perDaily', weekly: 'perWeekly', monthly: 'perMonthly', total: 'perTotal' } as const

/** Usage of the budget that is nearest to its limit. */
export function BudgetCell(props: { row: { budget: Budget | null; budgetLeft?: BudgetLeft } }) {
  const near = () => tightest(props.row)
  return (
    <Show when={near()} fallback={<span class="na">{ts('noLimit')}</span>}>
      {(budget) => (
        <span class="budget-cell">
          <span class="num block">
            {formatMoney(formatUsd(parseUsd(budget().limit) - parseUsd(budget().left)))}{' '}
            <span class="text-ink-3">
              {'/ '}
              {formatMoney(budget().limit)} {ts(per[budget().window])}
            </span>
          </span>
          <Meter share={budget().share} label={ts('budgetUsed', { share: formatPercent(budget().share, 0) })} />
        </span>
      )}
    </Show>
  )
}

/** The limits in short. */
export function limitsText(limits: Limits | null): string {
  if (limits === null) return ''
  const { rpm, tpm, concurrency } = limits
  return [
    rpm !== undefined && ts('rpmShort', { count: rpm }),
    tpm !== undefined && ts('tpmShort', { count: tpm }),
    concurrency !== undefined && ts('concurrencyShort', { count: concurrency }),
  ]
    .filter(Boolean)
    .join(', ')
}
