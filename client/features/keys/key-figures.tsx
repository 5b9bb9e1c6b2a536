import { Show } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { BudgetCell } from '#client/console/budget-cell.tsx'
import { Ago } from '#client/console/lists/ago.tsx'
import { createLoad, queryOf } from '#client/console/load.ts'
import { DayBars } from '#client/ui/console/day-bars.tsx'
import { Stats } from '#client/ui/console/stats.tsx'
import { formatCount, formatMoney, formatPercent } from '#client/ui/format.ts'
import type { KeyRow } from '#shared/console/key'
import type { LogRow } from '#shared/console/log'
import type { Page } from '#shared/console/model'
import { expiryText } from './key-columns.tsx'
import { t } from './messages.ts'
import { createSpend } from './spend.ts'

/** The key's figures for thirty days, and when, from where and for which model it was last used. */
export function KeyFigures(props: { row: KeyRow }) {
  const spend = createSpend(30, () => props.row.id)
  const newest = createLoad(
    () => props.row.id,
    (key, signal) => callApi<Page<LogRow>>('GET', `/api/logs?${queryOf({ key, limit: '1' })}`, undefined, signal),
  )
  const lastModel = () => newest.value()?.data[0]?.model
  const own = () => spend.value()?.of(props.row.id)
  const share = () => {
    const { requests = 0, errors = 0 } = own() ?? {}
    return requests === 0 ? formatPercent(0) : formatPercent(errors / requests, 1)
  }
  return (
    <div class="mb-6">
      <Stats
        label={t('key')}
        stats={[
          {
            label: t('spent30'),
            value: own() ? formatMoney(own()?.charged ?? '0') : '–',
            below: <Show when={own()}>{(known) => <DayBars values={known().byDay} label={t('spendByDay')} tall />}</Show>,
          },
          {
            label: t('requests30'),
            value: own() ? formatCount(own()?.requests ?? 0) : '–',
          },
          { label: t('errors30'), value: own() ? formatCount(own()?.errors ?? 0) : '–', note: t('ofRequests', { share: share() }) },
          {
            label: t('lastUsed'),
            value: <Ago at={props.row.lastUsedAt} />,
            note: [
              props.row.lastUsedFrom === null ? '' : t('lastFrom', { from: props.row.lastUsedFrom }),
              lastModel() === undefined ? '' : t('lastModel', { model: lastModel() ?? '' }),
              expiryText(props.row),
            ]
              .filter(Boolean)
              .join(', '),
          },
          { label: t('budget'), value: '', note: <BudgetCell row={props.row} /> },
        ]}
      />
    </div>
  )
}
