import { createEffect, on, Show } from 'solid-js'
import { detailOf, explain } from '#client/console/explain.ts'
import { createPages, queryOf } from '#client/console/load.ts'
import { SpanFilter, spanNames, spanOf } from '#client/console/span-filter.tsx'
import { FilterBar, FilterChip, SearchField } from '#client/ui/console/filters.tsx'
import { Failure, NoMatch } from '#client/ui/console/states.tsx'
import { type Column, DataTable } from '#client/ui/console/table.tsx'
import { formatDay, formatExactly, formatWhen } from '#client/ui/console/time.ts'
import { useUrlState } from '#client/ui/console/url-state.ts'
import { formatMoney } from '#client/ui/format.ts'
import { Icon } from '#client/ui/icon.tsx'
import type { EntryRow } from '#shared/console/user'
import { entryKinds } from '#shared/ids'
import { t } from './messages.ts'

/**
 * Every movement of a user's money, newest first, with its reason, what it refers to, and what it left. Filters are in the address. Read
 * again when `balance` changes.
 */
export function LedgerCard(props: { user: string; balance: string }) {
  const url = useUrlState()
  const path = () => `/api/users/${encodeURIComponent(props.user)}/entries`
  const asked = () => ({ kind: url.get('kind'), q: url.get('q'), ...spanOf(url) })
  const filters = () => [url.get('q'), kindText(), ...days()].filter(Boolean)
  const kindText = () => entryKinds.filter((kind) => kind === url.get('kind')).map((kind) => t(`entry_${kind}`))[0]
  const days = () => Object.values(spanOf(url)).map(formatDay)
  const pages = createPages<EntryRow>(() => `${path()}?${queryOf({ limit: '20', ...asked() })}`)
  createEffect(
    on(
      () => props.balance,
      () => void pages.reload(),
      { defer: true },
    ),
  )
  return (
    <div>
      <FilterBar
        end={
          <a class="btn ghost" href={`${path()}?${queryOf({ ...asked(), format: 'csv' })}`} download="ledger.csv" rel="external">
            <Icon name="download" />
            CSV
          </a>
        }
      >
        <SearchField label={t('ledgerFind')} value={url.get('q')} onSearch={(q) => url.set({ q }, { replace: true })} />
        <FilterChip
          label={t('entryKind')}
          value={url.get('kind')}
          options={entryKinds.map((value) => ({ value, label: t(`entry_${value}`) }))}
          onChange={(kind) => url.set({ kind })}
        />
        <SpanFilter url={url} />
      </FilterBar>
      <Show when={pages.error()}>
        {(error) => <Failure text={explain(error())} detail={detailOf(error())} onRetry={() => void pages.reload()} />}
      </Show>
      <Show when={pages.error() === undefined}>
        <DataTable
          label={t('ledger')}
          rows={pages.value()}
          rowId={(row) => row.id}
          stale={pages.loading()}
          columns={columns()}
          empty={
            <Show when={filters().length > 0} fallback={<p class="p-4 text-[13px] text-ink-2">{t('ledgerNone')}</p>}>
              <NoMatch
                filters={filters().join(', ')}
                onClear={() => url.set({ q: '', kind: '', ...Object.fromEntries(spanNames.map((name) => [name, ''])) })}
              />
            </Show>
          }
          foot={t('ledgerAddsUp')}
          more={pages.more()}
        />
      </Show>
    </div>
  )
}

const columns = (): Column<EntryRow>[] => [
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
  { id: 'amount', label: t('entryAmount'), right: true, card: 'figure', cell: (row) => <Amount of={row.amount} /> },
  {
    id: 'balance',
    label: t('balance'),
    right: true,
    cell: (row) => (
      <span class="num" title={`$${row.balance}`}>
        {formatMoney(row.balance)}
      </span>
    ),
  },
]

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
