import { For, Show } from 'solid-js'
import { Meter } from '#client/ui/console/meter.tsx'
import { Card } from '#client/ui/console/page.tsx'
import { formatMoney, formatPercent } from '#client/ui/format.ts'
import type { BudgetState } from '#shared/console/overview'
import { pathOf, spentOf } from './attention.ts'
import { t } from './messages.ts'

/** The budgets with the largest spent share; nothing if there are none. */
export function BudgetsCard(props: { budgets: readonly BudgetState[] }) {
  return (
    <Show when={props.budgets.length > 0}>
      <Card title={t('budgets')} bare>
        <ul>
          <For each={props.budgets}>
            {(budget) => (
              <li class="grid grid-cols-1 gap-1.5 px-4 pb-3.5 text-[13px]">
                <span class="flex items-baseline gap-3">
                  <a class="min-w-0 flex-1 wrap-anywhere text-ink hover:text-accent" href={pathOf(budget.of, budget.id)}>
                    {t('budgetOf', { kind: t(`kind_${budget.of}`), name: budget.name, window: t(`window_${budget.window}`) })}
                  </a>
                  <span
                    class="num whitespace-nowrap text-ink-2"
                    title={t('leftOf', { left: `$${budget.left}`, limit: `$${budget.limit}` })}
                  >
                    {t('spentOf', { spent: formatMoney(spentOf(budget)), limit: formatMoney(budget.limit) })}
                  </span>
                </span>
                <Meter share={budget.share} label={t('budgetSpent', { name: budget.name, share: formatPercent(budget.share) })} />
              </li>
            )}
          </For>
        </ul>
      </Card>
    </Show>
  )
}
