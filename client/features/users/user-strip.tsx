import { Show } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { BudgetCell } from '#client/console/budget-cell.tsx'
import { createLoad, queryOf, readAll } from '#client/console/load.ts'
import { Stats } from '#client/ui/console/stats.tsx'
import { formatAgo } from '#client/ui/console/time.ts'
import { Instant } from '#client/ui/console/view/instant.tsx'
import { formatCount, formatMoney, formatPercent } from '#client/ui/format.ts'
import type { KeyRow } from '#shared/console/key'
import type { Page } from '#shared/console/model'
import type { UsageTotals } from '#shared/console/usage'
import type { AccountRow } from '#shared/console/user'
import { formatUsd, parseUsd } from '#shared/money'
import { t } from './messages.ts'

/** Balance, spend and requests of the month, and last activity of a user. */
export function UserStrip(props: { row: AccountRow }) {
  const month = createLoad(
    () => `/api/usage?${queryOf({ user: props.row.id, from: beginOfMonth() })}`,
    (path, signal) => callApi<Page<UsageTotals>>('GET', path, undefined, signal),
  )
  const keys = createLoad(
    () => `/api/keys?${queryOf({ all: 'true', user: props.row.id })}`,
    (path, signal) => readAll<KeyRow>(path, signal),
  )
  const totals = () => month.value()?.data[0]
  const waiting = <span class="na">–</span>
  /** The address from which a key was last used; sessions do not record it. */
  const from = () =>
    keys.value()?.reduce<KeyRow | undefined>((last, key) => ((key.lastUsedAt ?? '') > (last?.lastUsedAt ?? '') ? key : last), undefined)
  return (
    <Stats
      label={t('user')}
      stats={[
        {
          label: t('balance'),
          value: <span title={`$${props.row.balance}`}>{formatMoney(props.row.balance)}</span>,
          note: t('toSpend', { amount: formatMoney(formatUsd(parseUsd(props.row.balance) - parseUsd(props.row.held))) }),
        },
        { label: t('heldNow'), value: formatMoney(props.row.held), note: t('heldNote') },
        {
          label: t('spentMonth'),
          value: (
            <Show when={totals()} fallback={month.value() ? formatMoney('0') : waiting}>
              {(sum) => <span title={`$${sum().charged}`}>{formatMoney(sum().charged)}</span>}
            </Show>
          ),
          note: props.row.budget === null ? t('noBudget') : <BudgetCell row={props.row} />,
        },
        {
          label: t('requestsMonth'),
          value: (
            <Show when={totals()} fallback={month.value() ? '0' : waiting}>
              {(sum) => formatCount(sum().requests)}
            </Show>
          ),
          note: (
            <Show when={totals()?.requests}>
              {(count) => t('errorShare', { share: formatPercent((totals()?.errors ?? 0) / count(), 1) })}
            </Show>
          ),
        },
        {
          label: t('lastSeen'),
          value: (
            <Show when={props.row.lastSeenAt} fallback={<span class="na">{t('neverSeen')}</span>}>
              {(at) => <Instant at={at()} text={formatAgo(at())} />}
            </Show>
          ),
          note: <Show when={from()?.lastUsedFrom}>{(address) => t('seenFrom', { address: address() })}</Show>,
        },
      ]}
    />
  )
}

/** Months of budgets begin in UTC unless they name a zone. */
function beginOfMonth(): string {
  const now = new Date()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1)).toISOString()
}
