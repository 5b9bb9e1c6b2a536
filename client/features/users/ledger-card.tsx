import { createEffect, on, Show } from 'solid-js'
import { detailOf, explain } from '#client/console/explain.ts'
import { createPages } from '#client/console/load.ts'
import { Card } from '#client/ui/console/page.tsx'
import { Failure } from '#client/ui/console/states.tsx'
import { DataTable } from '#client/ui/console/table.tsx'
import { formatExactly, formatWhen } from '#client/ui/console/time.ts'
import { formatMoney } from '#client/ui/format.ts'
import type { EntryRow } from '#shared/console/user'
import { t } from './messages.ts'

/** Every movement of a user's money, newest first, with its reason and what it refers to. Read again when `balance` changes. */
export function LedgerCard(props: { user: string; balance: string }) {
  const pages = createPages<EntryRow>(() => `/api/users/${encodeURIComponent(props.user)}/entries?limit=20`)
  createEffect(
    on(
      () => props.balance,
      () => void pages.reload(),
      { defer: true },
    ),
  )
  return (
    <Card title={t('ledger')} bare>
      <Show when={pages.error()}>
        {(error) => <Failure text={explain(error())} detail={detailOf(error())} onRetry={() => void pages.reload()} />}
      </Show>
      <Show when={pages.error() === undefined}>
        <DataTable
          label={t('ledger')}
          rows={pages.value()}
          rowId={(row) => row.id}
          columns={[
            {
              id: 'at',
              label: t('entryAt'),
              cell: (row) => (
                <span class="num text-ink-2" title={formatExactly(row.at)}>
                  {formatWhen(row.at)}
                </span>
              ),
            },
            { id: 'kind', label: t('entryKind'), card: 'title', cell: (row) => t(`entry_${row.kind}`) },
            { id: 'reason', label: t('entryReason'), cell: (row) => (row.kind === 'usage' ? <RequestLink of={row.ref} /> : row.reason) },
            { id: 'actor', label: t('entryActor'), wide: true, cell: (row) => row.actorName ?? row.actor },
            {
              id: 'amount',
              label: t('entryAmount'),
              right: true,
              card: 'figure',
              cell: (row) => <Amount of={row.amount} />,
            },
          ]}
          empty={<p class="p-4 text-[13px] text-ink-2">{t('ledgerNone')}</p>}
          more={pages.more()}
        />
      </Show>
    </Card>
  )
}

/** What came has a plus and the colour of what went well. */
function Amount(props: { of: string }) {
  const came = () => !props.of.startsWith('-') && Number(props.of) !== 0
  return (
    <span title={`$${props.of}`} classList={{ 'text-ok': came() }}>
      {came() && '+'}
      {formatMoney(props.of)}
    </span>
  )
}

function RequestLink(props: { of: string }) {
  const id = () => props.of.slice(props.of.indexOf(':') + 1)
  return (
    <a class="mono text-[12px]" href={`/requests/${encodeURIComponent(id())}`}>
      {id()}
    </a>
  )
}
