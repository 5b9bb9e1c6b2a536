/** Models with prices, those without one first; filtered, sorted and paged by the server. The open model is in a drawer and the URL. */
import { createSignal, Show, Suspense } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { Loaded } from '#client/console/lists/loaded.tsx'
import { createLoad, createPages, queryOf } from '#client/console/load.ts'
import { vendorCard } from '#client/console/vendors.ts'
import { Button } from '#client/ui/button.tsx'
import { FilterBar, FilterChip, SearchField } from '#client/ui/console/filters.tsx'
import { Page } from '#client/ui/console/page.tsx'
import { Empty, NoMatch } from '#client/ui/console/states.tsx'
import { DataTable, type Sort } from '#client/ui/console/table.tsx'
import { useUrlState } from '#client/ui/console/url-state.ts'
import { later } from '#client/ui/later.ts'
import { showToast } from '#client/ui/toast.tsx'
import type { ChannelTotals } from '#shared/console/channel'
import { type CatalogueRow, type CatalogueTotals, priceStates } from '#shared/console/inspection/catalogue'
import type { Page as PageOf } from '#shared/console/model'
import { t } from './messages.ts'
import { priceColumns } from './price-columns.tsx'
import { PriceDrawer } from './price-drawer.tsx'

const ImportDialog = later(async () => (await import('./import-dialog.tsx')).ImportDialog)

const filterNames = ['q', 'status', 'vendor'] as const
const statuses = [...priceStates, 'losing'] as const

/** `/admin/prices` */
export function PricesPage() {
  const url = useUrlState()
  const sort = (): Sort => {
    const text = url.get('sort') || 'model'
    return { column: text.replace('-', ''), down: text.startsWith('-') }
  }
  const asked = () => Object.fromEntries([...filterNames, 'sort'].map((name) => [name, url.get(name)]))
  const models = createPages<CatalogueRow>(() => `/api/catalogue?${queryOf({ limit: '50', ...asked() })}`)
  const totals = createLoad(
    () => '/api/catalogue/totals',
    (path, signal) => callApi<CatalogueTotals>('GET', path, undefined, signal),
  )
  const channels = createLoad(
    () => '/api/channels/totals',
    (path, signal) => callApi<ChannelTotals>('GET', path, undefined, signal),
  )
  const named = () => url.get('open')
  const listed = () => models.value()?.find((row) => row.model === named())
  // A link may open a model that is not loaded yet, or that the filters hide.
  const sought = createLoad(
    () => (named() !== '' && models.value() && !listed() ? named() : undefined),
    async (model, signal) =>
      (await callApi<PageOf<CatalogueRow>>('GET', `/api/catalogue?${queryOf({ model })}`, undefined, signal)).data[0],
  )
  const open = () => (named() === '' ? undefined : (listed() ?? [sought.value()].find((row) => row?.model === named())))
  const [importing, setImporting] = createSignal(false)
  const reload = () => {
    void models.reload()
    void totals.reload()
    void sought.reload()
  }
  const move = (by: number) => {
    const list = models.value() ?? []
    const at = list.findIndex((row) => row.model === named())
    const next = at < 0 ? undefined : list[at + by]
    return next && (() => url.set({ open: next.model }, { replace: true }))
  }
  const filters = () => [url.get('q'), statusText(), url.get('vendor') && vendorText(url.get('vendor'))].filter(Boolean).join(', ')
  const statusText = () => statuses.filter((one) => one === url.get('status')).map((one) => t(`status_${one}`))[0]
  return (
    <Page
      title={t('title')}
      actions={
        <Button icon="upload" onClick={() => setImporting(true)}>
          {t('import')}
        </Button>
      }
      aside={
        <Show when={open()} keyed>
          {(row) => (
            <PriceDrawer
              row={row}
              onClose={() => url.set({ open: '' })}
              onPrevious={move(-1)}
              onNext={move(1)}
              onDone={(text) => {
                showToast(text)
                reload()
              }}
            />
          )}
        </Show>
      }
    >
      <Show when={totals.value()?.unpriced}>{(count) => <p class="notice warn mb-4">{t('unpricedWhy', { count: count() })}</p>}</Show>
      <FilterBar>
        <SearchField label={t('find')} value={url.get('q')} onSearch={(q) => url.set({ q }, { replace: true })} />
        <FilterChip
          label={t('show')}
          value={url.get('status')}
          options={statuses.map((value) => ({ value, label: t(`status_${value}`) }))}
          onChange={(status) => url.set({ status })}
        />
        <FilterChip
          label={t('vendor')}
          value={url.get('vendor')}
          options={(channels.value()?.vendors ?? []).map((value) => ({ value, label: vendorText(value) }))}
          onChange={(vendor) => url.set({ vendor })}
        />
      </FilterBar>
      <Loaded of={models} onRetry={reload}>
        <DataTable
          label={t('title')}
          view="prices"
          rows={models.value()}
          rowId={(row) => row.model}
          selected={named()}
          unfinished={(row) => row.state === 'unpriced' || row.state === 'incomplete'}
          stale={models.loading()}
          sort={sort()}
          onSort={({ column, down }) => url.set({ sort: `${down ? '-' : ''}${column}` }, { replace: true })}
          columns={priceColumns(url)}
          empty={
            <Show
              when={filters()}
              fallback={
                <Empty
                  title={t('empty')}
                  action={
                    <a class="btn" href="/admin/channels">
                      {t('toChannels')}
                    </a>
                  }
                >
                  {t('emptyWhy')}
                </Empty>
              }
            >
              {(names) => <NoMatch filters={names()} onClear={() => url.set({ q: '', status: '', vendor: '' })} />}
            </Show>
          }
          foot={countText()}
          footEnd={t('units')}
          more={models.more()}
        />
      </Loaded>
      <Suspense>
        <Show when={importing()}>
          <ImportDialog
            onClose={() => setImporting(false)}
            onDone={(count) => {
              setImporting(false)
              showToast(t('imported', { count }))
              reload()
            }}
          />
        </Show>
      </Suspense>
    </Page>
  )

  function countText(): string {
    const count = models.value()?.length ?? 0
    const all = totals.value()?.models
    if (filters() === '' && all !== undefined && all > count) return t('countOf', { count, all })
    return t('count', { count }) + (models.more() ? '+' : '')
  }
}

const vendorText = (id: string) => vendorCard(id)?.title ?? id
