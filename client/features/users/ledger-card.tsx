import { createEffect, on, Show } from 'solid-js'
import { SpanFilter, spanNames, spanOf } from '#client/console/lists/span-filter.tsx'
import { createPages, queryOf } from '#client/console/load.ts'
import { LoadFailure } from '#client/console/when-loaded.tsx'
import { FilterBar, FilterChip, SearchField, Segments } from '#client/ui/console/filters.tsx'
import { NoMatch } from '#client/ui/console/states.tsx'
import { DataTable } from '#client/ui/console/table.tsx'
import { formatDay } from '#client/ui/console/time.ts'
import { useUrlState } from '#client/ui/console/url-state.ts'
import { Icon } from '#client/ui/icon.tsx'
import { timeZone } from '#client/ui/time-zone.ts'
import type { EntryRow } from '#shared/console/user'
import { entryKinds } from '#shared/ids'
import { DayCharges } from './day-charges.tsx'
import { ledgerColumns } from './ledger-columns.tsx'
import { t } from './messages.ts'

/**
 * The ledger of a user, newest first, with reason, cause, and the balance after each entry: charges of requests grouped by day, which opens
 * to its entries, or every entry. Filters and the open day are in the URL. Reloaded when `balance` changes.
 */
export function LedgerCard(props: { user: string; balance: string }) {
  const url = useUrlState()
  const path = () => `/api/users/${encodeURIComponent(props.user)}/entries`
  const byDay = () => url.get('by') !== 'entry'
  const asked = () => ({
    kind: url.get('kind'),
    q: url.get('q'),
    ...spanOf(url),
    ...(byDay() && { by: 'day', timezone: timeZone() }),
  })
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
  const isOpen = (row: EntryRow) => row.day !== undefined && row.day === url.get('day')
  return (
    <div>
      <FilterBar
        end={
          <>
            <Segments
              label={t('ledgerBy')}
              value={byDay() ? 'day' : 'entry'}
              options={(['day', 'entry'] as const).map((value) => ({ value, label: t(`ledgerBy_${value}`) }))}
              onChange={(by) => url.set({ by: by === 'day' ? '' : by, day: '' }, { replace: true })}
            />
            <a class="btn ghost" href={`${path()}?${queryOf({ ...asked(), format: 'csv' })}`} download="ledger.csv" rel="external">
              <Icon name="download" />
              CSV
            </a>
          </>
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
      <LoadFailure of={pages} />
      <Show when={pages.error() === undefined}>
        <DataTable
          label={t('ledger')}
          view="ledger"
          rows={pages.value()}
          rowId={(row) => row.id}
          stale={pages.loading()}
          columns={ledgerColumns(isOpen, (row) => url.set({ day: isOpen(row) ? '' : (row.day ?? '') }, { replace: true }))}
          below={(row) => isOpen(row) && <DayCharges path={path()} day={row.day ?? ''} words={url.get('q')} />}
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
