import { createSignal, Show, Suspense } from 'solid-js'
import { Loaded } from '#client/console/lists/loaded.tsx'
import { createPages, queryOf } from '#client/console/load.ts'
import { Button } from '#client/ui/button.tsx'
import { FilterBar, FilterChip, SearchField } from '#client/ui/console/filters.tsx'
import { Empty, NoMatch } from '#client/ui/console/states.tsx'
import { Status } from '#client/ui/console/status.tsx'
import { DataTable } from '#client/ui/console/table.tsx'
import { useUrlState } from '#client/ui/console/url-state.ts'
import { Instant } from '#client/ui/console/view/instant.tsx'
import { formatMoney } from '#client/ui/format.ts'
import { later } from '#client/ui/later.ts'
import { showToast } from '#client/ui/toast.tsx'
import type { CreditRow } from '#shared/console/selling'
import { parseUsd } from '#shared/money'
import { t } from './messages.ts'
import { Part } from './part.tsx'

const PaymentDialog = later(async () => (await import('./payment-dialogs.tsx')).PaymentDialog)
const RefundDialog = later(async () => (await import('./payment-dialogs.tsx')).RefundDialog)

const kinds = ['credit', 'refund'] as const

/** The table of payments and refunds. Filters are in the URL. */
export function CreditsPart() {
  const url = useUrlState()
  const credits = createPages<CreditRow>(() => `/api/credits?${queryOf({ limit: '50', q: url.get('q'), kind: url.get('kind') })}`)
  const kindText = () => kinds.filter((one) => one === url.get('kind')).map((one) => t(`kind_${one}`))[0]
  const filters = () => [url.get('q'), kindText()].filter(Boolean).join(', ')
  const [adding, setAdding] = createSignal(false)
  const [refunding, setRefunding] = createSignal<CreditRow>()
  const done = () => {
    setAdding(false)
    setRefunding(undefined)
    showToast(t('posted'))
    void credits.reload()
  }
  return (
    <Part title={t('credits')} why={t('creditsWhy')} add={t('addCredit')} onAdd={() => setAdding(true)}>
      <FilterBar>
        <SearchField label={t('findCredit')} value={url.get('q')} onSearch={(q) => url.set({ q }, { replace: true })} />
        <FilterChip
          label={t('kind')}
          value={url.get('kind')}
          options={kinds.map((value) => ({ value, label: t(`kind_${value}`) }))}
          onChange={(kind) => url.set({ kind })}
        />
      </FilterBar>
      <Loaded of={credits}>
        <DataTable
          label={t('credits')}
          view="payments"
          rows={credits.value()}
          rowId={(row) => row.reference}
          stale={credits.loading()}
          columns={[
            {
              id: 'reference',
              label: t('reference'),
              card: 'title',
              cell: (row) => (
                <span class="grid min-w-0">
                  <span class="mono truncate">{row.reference}</span>
                  <small>{row.of === null ? row.reason : t('refundOf', { reference: row.of })}</small>
                </span>
              ),
            },
            { id: 'wallet', label: t('wallet'), cell: (row) => <a href={walletPath(row.wallet)}>{row.wallet.name ?? row.wallet.id}</a> },
            {
              id: 'amount',
              label: t('amount'),
              right: true,
              card: 'figure',
              cell: (row) => <span class="num">{formatMoney(row.amount)}</span>,
            },
            {
              id: 'when',
              label: t('when'),
              cell: (row) => (
                <span class="text-ink-2">
                  <Instant at={row.at} />
                </span>
              ),
            },
            { id: 'state', label: t('state'), cell: (row) => <PaymentState row={row} /> },
            {
              id: 'actions',
              label: t('actions'),
              bare: true,
              right: true,
              card: 'whole',
              cell: (row) => (
                <Show when={row.of === null && stateOf(row) !== 'refunded'}>
                  <Button
                    look="ghost"
                    size="sm"
                    aria-label={t('refundTitle', { reference: row.reference })}
                    onClick={() => setRefunding(row)}
                  >
                    {t('refund')}
                  </Button>
                </Show>
              ),
            },
          ]}
          empty={
            <Show when={filters()} fallback={<Empty title={t('noCredits')}>{t('noCreditsWhy')}</Empty>}>
              {(names) => <NoMatch filters={names()} onClear={() => url.set({ q: '', kind: '' })} />}
            </Show>
          }
          more={credits.more()}
        />
      </Loaded>
      <Suspense>
        <Show when={adding()}>
          <PaymentDialog onClose={() => setAdding(false)} onDone={done} />
        </Show>
        <Show when={refunding()} keyed>
          {(row) => <RefundDialog of={row} onClose={() => setRefunding(undefined)} onDone={done} />}
        </Show>
      </Suspense>
    </Part>
  )
}

const walletPath = ({ id, of }: CreditRow['wallet']): string =>
  of === 'team' ? `/admin/teams?open=${encodeURIComponent(id)}` : `/admin/users/${encodeURIComponent(id)}`

/** The state of a payment: refunded in full, in part, or not at all. */
function stateOf({ of, amount, refunded = '0' }: CreditRow): 'refund' | 'posted' | 'partly' | 'refunded' {
  if (of !== null) return 'refund'
  if (Number(refunded) === 0) return 'posted'
  return parseUsd(refunded) >= parseUsd(amount) ? 'refunded' : 'partly'
}

function PaymentState(props: { row: CreditRow }) {
  const state = () => stateOf(props.row)
  return (
    <Show when={state() !== 'refund'} fallback={<span class="na">–</span>}>
      <Status shape={state() === 'posted' ? 'ok' : 'off'}>
        {state() === 'partly'
          ? t('partlyRefunded', { amount: formatMoney(props.row.refunded ?? '0') })
          : t(state() === 'posted' ? 'isPosted' : 'isRefunded')}
      </Status>
    </Show>
  )
}
