import { Show } from 'solid-js'
import { DayBars } from '#client/ui/console/day-bars.tsx'
import { Card } from '#client/ui/console/page.tsx'
import { DataTable } from '#client/ui/console/table.tsx'
import { formatExactly, formatWhen } from '#client/ui/console/time.ts'
import { formatCount, formatMoney } from '#client/ui/format.ts'
import type { KeyUsage } from '#shared/console/key'
import { t } from './messages.ts'

const windows = { total: 'window_total', daily: 'window_daily', weekly: 'window_weekly', monthly: 'window_monthly' } as const

/** What is left of each budget of a key, and its spend by day and by model. */
export function Spent(props: { usage: KeyUsage }) {
  return (
    <>
      <Show when={props.usage.budgets.length > 0}>
        <Card title={t('windows')} bare>
          <DataTable
            label={t('windows')}
            rows={props.usage.budgets}
            rowId={(row) => row.window}
            columns={[
              {
                id: 'window',
                label: t('window'),
                card: 'title',
                cell: (row) => t(windows[row.window as keyof typeof windows] ?? 'window'),
              },
              {
                id: 'left',
                label: t('leftOf'),
                right: true,
                card: 'figure',
                cell: (row) => t('ofLimit', { left: formatMoney(row.left), limit: formatMoney(row.limit) }),
              },
              {
                id: 'renews',
                label: t('renews'),
                cell: (row) => (
                  <Show when={row.renewsAt} fallback={<span class="na">{t('renewsNever')}</span>}>
                    {(at) => <span title={formatExactly(at())}>{formatWhen(at())}</span>}
                  </Show>
                ),
              },
            ]}
          />
        </Card>
      </Show>
      <Card title={t('byDay')}>
        <Show when={props.usage.days.length > 0} fallback={<p class="text-[13px] text-ink-2">{t('nothingSpent')}</p>}>
          <DayBars values={props.usage.days.map(({ charged }) => Number(charged))} label={t('byDay')} />
          <DataTable
            label={t('byDay')}
            rows={props.usage.days.toReversed()}
            rowId={(row) => row.day}
            columns={[
              { id: 'day', label: t('day'), card: 'title', cell: (row) => <span class="num">{row.day}</span> },
              { id: 'requests', label: t('requests'), right: true, cell: (row) => formatCount(row.requests) },
              { id: 'spent', label: t('amount'), right: true, card: 'figure', cell: (row) => formatMoney(row.charged) },
            ]}
          />
        </Show>
      </Card>
      <Show when={props.usage.models.length > 0}>
        <Card title={t('byModel')} bare>
          <DataTable
            label={t('byModel')}
            rows={props.usage.models}
            rowId={(row) => row.model}
            columns={[
              { id: 'model', label: t('model'), card: 'title', cell: (row) => <span class="mono break-all">{row.model}</span> },
              { id: 'requests', label: t('requests'), right: true, cell: (row) => formatCount(row.requests) },
              { id: 'spent', label: t('amount'), right: true, card: 'figure', cell: (row) => formatMoney(row.charged) },
            ]}
          />
        </Card>
      </Show>
    </>
  )
}
