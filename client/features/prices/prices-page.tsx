/** Prices of every model that a channel offers, those without one first; the open one in a drawer, and in the address. */
import { createMemo, createSignal, Show, Suspense } from 'solid-js'
import { capableText } from '#client/console/capable.ts'
import { detailOf, explain } from '#client/console/explain.ts'
import { createLoad, readAll } from '#client/console/load.ts'
import { ts } from '#client/console/messages.ts'
import { Button } from '#client/ui/button.tsx'
import { FilterBar, FilterChip, SearchField } from '#client/ui/console/filters.tsx'
import { Page } from '#client/ui/console/page.tsx'
import { Empty, Failure, NoMatch } from '#client/ui/console/states.tsx'
import { FileBadge } from '#client/ui/console/status.tsx'
import { DataTable } from '#client/ui/console/table.tsx'
import { useUrlState } from '#client/ui/console/url-state.ts'
import { formatMoney, formatPercent, formatPrice } from '#client/ui/format.ts'
import { later } from '#client/ui/later.ts'
import { showToast } from '#client/ui/toast.tsx'
import type { ChannelRow } from '#shared/console/channel'
import type { CapabilityRow } from '#shared/console/model'
import type { PriceRow } from '#shared/console/price'
import type { UsageReportRow } from '#shared/console/usage'
import { furtherPrices } from './further-prices.ts'
import { t } from './messages.ts'
import { PriceDrawer } from './price-drawer.tsx'
import type { PricedModel } from './priced-model.ts'

const ImportDialog = later(async () => (await import('./import-dialog.tsx')).ImportDialog)

/** `/admin/prices` */
export function PricesPage() {
  const url = useUrlState()
  const week = new Date(Date.now() - 7 * 86_400_000).toISOString()
  const known = createLoad(
    () => true,
    async (_, signal): Promise<PricedModel[]> => {
      const [prices, channels, usage, capabilities] = await Promise.all([
        readAll<PriceRow>('/api/prices', signal, 20_000),
        readAll<ChannelRow>('/api/channels', signal),
        readAll<UsageReportRow>(`/api/usage?by=model&from=${week}`, signal, 5_000),
        readAll<CapabilityRow>('/api/capabilities', signal, 20_000),
      ])
      const offered = new Map<string, ChannelRow[]>()
      for (const channel of channels.filter((one) => one.enabled)) {
        for (const model of channel.models) {
          const name = typeof model === 'string' ? model : model.name
          offered.set(name, [...(offered.get(name) ?? []), channel])
        }
      }
      const can = new Map(capabilities.map((row) => [row.model, capableText(row)]))
      const names = [...new Set([...prices.map((price) => price.model), ...offered.keys()])].sort()
      return names.map((model) => ({
        model,
        price: prices.find((price) => price.model === model),
        channels: (offered.get(model) ?? []).map((channel) => channel.name),
        vendors: (offered.get(model) ?? []).map((channel) => channel.vendor),
        week: usage.find((row) => row.model === model),
        can: can.get(model),
      }))
    },
  )
  const [importing, setImporting] = createSignal(false)
  const unpriced = () => known.value()?.filter((row) => row.price === undefined) ?? []
  const rows = createMemo(() => {
    const q = url.get('q').toLowerCase()
    return known
      .value()
      ?.filter((row) => row.model.toLowerCase().includes(q) && (url.get('show') !== 'unpriced' || row.price === undefined))
      .toSorted((a, b) => Number(a.price !== undefined) - Number(b.price !== undefined) || a.model.localeCompare(b.model))
  })
  const open = () => known.value()?.find((row) => row.model === url.get('open'))
  const move = (by: number) => {
    const list = rows() ?? []
    const next = list[list.findIndex((row) => row.model === url.get('open')) + by]
    return next && (() => url.set({ open: next.model }, { replace: true }))
  }
  const price = (row: PricedModel, field: 'input' | 'output' | 'cacheRead') =>
    row.price?.[field] === undefined ? <span class="na">–</span> : `$${formatPrice(row.price[field])}`
  const href = (row: PricedModel) => `/admin/prices?open=${encodeURIComponent(row.model)}`
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
                void known.reload()
              }}
            />
          )}
        </Show>
      }
    >
      <Show when={unpriced().length > 0}>
        <p class="notice warn mb-4">{t('unpricedWhy', { count: unpriced().length })}</p>
      </Show>
      <FilterBar>
        <SearchField label={t('find')} value={url.get('q')} onSearch={(q) => url.set({ q }, { replace: true })} />
        <FilterChip
          label={t('show')}
          value={url.get('show')}
          options={[{ value: 'unpriced', label: t('showUnpriced') }]}
          onChange={(show) => url.set({ show })}
        />
      </FilterBar>
      <Show
        when={known.error() === undefined || known.value()}
        fallback={
          <Show when={known.error()}>
            {(error) => <Failure text={explain(error())} detail={detailOf(error())} onRetry={() => void known.reload()} />}
          </Show>
        }
      >
        <DataTable
          label={t('title')}
          rows={rows()}
          rowId={(row) => row.model}
          selected={url.get('open')}
          unfinished={(row) => row.price === undefined}
          columns={[
            {
              id: 'model',
              label: t('model'),
              card: 'title',
              cell: (row) => (
                <>
                  <a href={href(row)}>{row.model}</a>
                  <small>{row.channels.slice(0, 3).join(', ') || t('noChannel')}</small>
                </>
              ),
            },
            {
              id: 'can',
              label: ts('can'),
              wide: true,
              card: 'none',
              cell: (row) => <span class="text-ink-2">{row.can ?? '–'}</span>,
            },
            {
              id: 'input',
              label: t('input'),
              right: true,
              cell: (row) => (row.price ? price(row, 'input') : <span class="text-warn">{t('unpriced')}</span>),
            },
            { id: 'output', label: t('output'), right: true, cell: (row) => price(row, 'output') },
            { id: 'cacheRead', label: t('cacheRead'), right: true, cell: (row) => price(row, 'cacheRead') },
            {
              id: 'other',
              label: t('other'),
              wide: true,
              cell: (row) => (row.price ? furtherPrices(row.price) : ''),
            },
            { id: 'channels', label: t('channels'), wide: true, right: true, card: 'none', cell: (row) => row.channels.length },
            {
              id: 'margin',
              label: t('margin'),
              right: true,
              wide: true,
              cell: (row) => (
                <Show when={row.week?.margin} fallback={<span class="na">–</span>}>
                  {(margin) => (
                    <span classList={{ 'text-bad': Number(margin()) < 0 }} title={formatMoney(margin())}>
                      {percentOf(margin(), row.week?.charged)}
                    </span>
                  )}
                </Show>
              ),
            },
            {
              id: 'state',
              label: t('actions'),
              bare: true,
              right: true,
              card: 'figure',
              cell: (row) => (
                <Show
                  when={row.price}
                  fallback={
                    <a class="btn sm" href={href(row)}>
                      {t('set')}
                    </a>
                  }
                >
                  {(found) => <Show when={found().managed === 'file'}>{<FileBadge />}</Show>}
                </Show>
              ),
            },
          ]}
          empty={
            <Show
              when={url.get('q') !== '' || url.get('show') !== ''}
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
              <NoMatch
                filters={[url.get('q'), url.get('show') && t('showUnpriced')].filter(Boolean).join(', ')}
                onClear={() => url.set({ q: '', show: '' })}
              />
            </Show>
          }
          foot={t('count', { count: rows()?.length ?? 0 })}
          footEnd={t('units')}
        />
      </Show>
      <Suspense>
        <Show when={importing()}>
          <ImportDialog
            rows={known.value() ?? []}
            onClose={() => setImporting(false)}
            onDone={(count) => {
              setImporting(false)
              showToast(t('imported', { count }))
              void known.reload()
            }}
          />
        </Show>
      </Suspense>
    </Page>
  )
}

/** The margin as a share of what was charged; the amount itself where nothing was. */
const percentOf = (margin: string, charged: string | undefined): string =>
  Number(charged) > 0 ? formatPercent(Number(margin) / Number(charged)) : formatMoney(margin)
