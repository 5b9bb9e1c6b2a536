import { createSignal, Show, Suspense } from 'solid-js'
import type { Pages } from '#client/console/load.ts'
import { Button } from '#client/ui/button.tsx'
import { Empty } from '#client/ui/console/states.tsx'
import { DataTable } from '#client/ui/console/table.tsx'
import { formatExactly, formatWhen } from '#client/ui/console/time.ts'
import { formatMoney } from '#client/ui/format.ts'
import { later } from '#client/ui/later.ts'
import { showToast } from '#client/ui/toast.tsx'
import type { CreditRow } from '#shared/console/selling'
import { t } from './messages.ts'
import { Part } from './part.tsx'

const PaymentDialog = later(async () => (await import('./payment-dialogs.tsx')).PaymentDialog)
const RefundDialog = later(async () => (await import('./payment-dialogs.tsx')).RefundDialog)

/** The table of payments and refunds. */
export function CreditsPart(props: { credits: Pages<CreditRow> }) {
  const [adding, setAdding] = createSignal(false)
  const [refunding, setRefunding] = createSignal<CreditRow>()
  const done = () => {
    setAdding(false)
    setRefunding(undefined)
    showToast(t('posted'))
    void props.credits.reload()
  }
  return (
    <Part title={t('credits')} why={t('creditsWhy')} add={t('addCredit')} onAdd={() => setAdding(true)}>
      <DataTable
        label={t('credits')}
        rows={props.credits.value()}
        rowId={(row) => row.reference}
        stale={props.credits.loading()}
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
          { id: 'wallet', label: t('wallet'), cell: (row) => row.wallet.name ?? row.wallet.id },
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
              <span class="num text-ink-2" title={formatExactly(row.at)}>
                {formatWhen(row.at)}
              </span>
            ),
          },
          {
            id: 'actions',
            label: t('actions'),
            bare: true,
            right: true,
            card: 'whole',
            cell: (row) => (
              <Show when={row.of === null}>
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
        empty={<Empty title={t('noCredits')}>{t('noCreditsWhy')}</Empty>}
        more={props.credits.more()}
      />
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
