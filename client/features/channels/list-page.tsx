/** Every channel with its health at a glance. */

import { createMemo, createSignal, For, Show, Suspense } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { detailOf, explain } from '#client/console/explain.ts'
import { asApiError, createLoad, createPages, queryOf, readAll } from '#client/console/load.ts'
import { causeText, retryText } from '#client/console/rest-text.ts'
import { vendorCard } from '#client/console/vendors.ts'
import { Button } from '#client/ui/button.tsx'
import { FilterBar, FilterChip, SearchField } from '#client/ui/console/filters.tsx'
import { Page } from '#client/ui/console/page.tsx'
import { Empty, Failure, NoMatch } from '#client/ui/console/states.tsx'
import { Stats } from '#client/ui/console/stats.tsx'
import { DataTable, type Sort } from '#client/ui/console/table.tsx'
import { formatDuration } from '#client/ui/console/time.ts'
import { useUrlState } from '#client/ui/console/url-state.ts'
import { formatPercent } from '#client/ui/format.ts'
import { Icon } from '#client/ui/icon.tsx'
import { later } from '#client/ui/later.ts'
import { showToast } from '#client/ui/toast.tsx'
import type { ChannelRow, ChannelTotals } from '#shared/console/channel'
import { channelStates } from '#shared/console/channel-state'
import type { GroupRow } from '#shared/console/group'
import { channelColumns, living, readFigures } from './channel-columns.tsx'
import { t } from './messages.ts'
import { restedText } from './rest-text.ts'

const RemoveDialog = later(async () => (await import('./remove-dialog.tsx')).RemoveDialog)

/** `/admin/channels` */
export function ChannelsPage() {
  const url = useUrlState()
  const filters = ['q', 'group', 'vendor', 'tag', 'status'] as const
  const sort = (): Sort => {
    const text = url.get('sort') || 'status'
    return { column: text.replace('-', ''), down: text.startsWith('-') }
  }
  const asked = () => Object.fromEntries(filters.map((name) => [name, url.get(name)]))
  const channels = createPages<ChannelRow>(
    () => `/api/channels?${queryOf({ limit: '100', sort: url.get('sort') || 'status', ...asked() })}`,
  )
  const totals = createLoad(
    () => '/api/channels/totals',
    (path, signal) => callApi<ChannelTotals>('GET', path, undefined, signal),
  )
  const groups = createLoad(
    () => '/api/groups?all=true',
    (path, signal) => readAll<GroupRow>(path, signal),
  )
  const figures = createLoad(() => true, readFigures)
  const rows = createMemo(() => channels.value()?.map((row) => living(row, figures.value())))
  const [removing, setRemoving] = createSignal<ChannelRow | null>(null)
  const options = (values: readonly string[] = [], label = (value: string) => value) =>
    values.map((value) => ({ value, label: label(value) }))
  const reload = async () => {
    void totals.reload()
    await channels.reload()
  }

  const turn = async (row: ChannelRow, enabled: boolean) => {
    try {
      await callApi('PATCH', `/api/channels/${encodeURIComponent(row.id)}`, { enabled })
      await reload()
      showToast(enabled ? t('turnedOn', { name: row.name }) : t('turnedOff', { name: row.name }), {
        label: t('undo'),
        run: () => void turn(row, !enabled),
      })
    } catch (thrown) {
      showToast(explain(asApiError(thrown)))
    }
  }
  const reset = async (row: ChannelRow) => {
    try {
      await callApi('POST', `/api/channels/${encodeURIComponent(row.id)}/reset`)
      showToast(t('resetDone', { name: row.name }))
    } catch (thrown) {
      showToast(explain(asApiError(thrown)))
    }
    void figures.reload()
    void reload()
  }
  const total = () => figures.value()?.total

  return (
    <Page
      title={t('title')}
      actions={
        <>
          <a class="btn ghost max-[759px]:hidden!" href="/admin/channels/simulate">
            {t('simulate')}
          </a>
          <a class="btn primary" href="/admin/channels/new">
            <Icon name="plus" />
            {t('add')}
          </a>
        </>
      }
    >
      <Show when={channels.error() === undefined || channels.value()} fallback={<Failed />}>
        <div class="stack">
          <Show when={totals.value()?.channels ? totals.value() : undefined}>
            {(all) => (
              <Stats
                label={t('health')}
                stats={[
                  {
                    label: t('serving'),
                    value: all().healthy + all().degraded,
                    note: t('ofChannels', { count: all().channels }),
                  },
                  {
                    label: t('success'),
                    value: total()?.requests ? formatPercent(1 - (total()?.errors ?? 0) / (total()?.requests ?? 1), 1) : '–',
                    note: t('requests', { count: total()?.requests ?? 0 }),
                  },
                  {
                    label: t('firstToken'),
                    value: total()?.latency.firstToken
                      ? `${formatDuration(total()?.latency.firstToken?.p50 ?? 0)} / ${formatDuration(total()?.latency.firstToken?.p95 ?? 0)}`
                      : '–',
                  },
                  { label: t('resting'), value: figures.value()?.ailments.length ?? '–', note: t('restingNote') },
                ]}
              />
            )}
          </Show>
          <div>
            <FilterBar>
              <SearchField label={t('search')} value={url.get('q')} onSearch={(q) => url.set({ q }, { replace: true })} />
              <FilterChip
                label={t('group')}
                value={url.get('group')}
                options={options(groups.value()?.map(({ name }) => name))}
                onChange={(group) => url.set({ group })}
              />
              <FilterChip
                label={t('vendor')}
                value={url.get('vendor')}
                options={options(totals.value()?.vendors, (value) => vendorCard(value)?.title ?? value)}
                onChange={(vendor) => url.set({ vendor })}
              />
              <Show when={url.get('tag') || totals.value()?.tags.length}>
                <FilterChip
                  label={t('tag')}
                  value={url.get('tag')}
                  options={options(totals.value()?.tags)}
                  onChange={(tag) => url.set({ tag })}
                />
              </Show>
              <FilterChip
                label={t('status')}
                value={url.get('status')}
                options={channelStates.map((value) => ({ value, label: t(value) }))}
                onChange={(status) => url.set({ status })}
              />
            </FilterBar>
            <DataTable
              label={t('title')}
              columns={channelColumns({ onTurn: turn, onReset: reset, onRemove: setRemoving })}
              rows={rows()}
              stale={channels.loading()}
              rowId={(row) => row.id}
              sort={sort()}
              onSort={({ column, down }) => url.set({ sort: `${down ? '-' : ''}${column}` }, { replace: true })}
              below={(row) =>
                row.rests.length > 0 && row.enabled ? (
                  <div class="flex flex-wrap items-center gap-2 pl-10 max-[759px]:pl-0">
                    <span class="min-w-0 flex-1">
                      <For each={row.rests.slice(0, 3)}>
                        {(rest) => (
                          <span class="block">
                            <b>{t('restLine', { what: restedText(rest), cause: causeText(rest.cause) })}</b> {retryText(rest.retryInMs)}
                          </span>
                        )}
                      </For>
                    </span>
                    <a class="btn sm" href={`/admin/channels/${encodeURIComponent(row.id)}`}>
                      {t('test')}
                    </a>
                    <Button look="ghost" size="sm" onClick={() => void reset(row)}>
                      {t('reset')}
                    </Button>
                  </div>
                ) : undefined
              }
              empty={
                <Show
                  when={filters.some((name) => url.get(name) !== '')}
                  fallback={
                    <Empty
                      title={t('empty')}
                      action={
                        <a class="btn primary" href="/admin/channels/new">
                          {t('add')}
                        </a>
                      }
                    >
                      {t('emptyWhy')}
                    </Empty>
                  }
                >
                  <NoMatch
                    filters={filters
                      .map((name) => url.get(name))
                      .filter(Boolean)
                      .join(', ')}
                    onClear={() => url.set(Object.fromEntries(filters.map((name) => [name, ''])))}
                  />
                </Show>
              }
              foot={t('count', { count: rows()?.length ?? 0 }) + (channels.more() ? '+' : '')}
              more={channels.more()}
              footEnd={t('slices')}
            />
          </div>
        </div>
      </Show>
      <Suspense>
        <Show when={removing()}>
          {(row) => (
            <RemoveDialog
              row={row()}
              onClose={() => setRemoving(null)}
              onDone={() => {
                setRemoving(null)
                void reload()
              }}
            />
          )}
        </Show>
      </Suspense>
    </Page>
  )

  function Failed() {
    return (
      <Show when={channels.error()}>
        {(error) => <Failure text={explain(error())} detail={detailOf(error())} onRetry={() => void channels.reload()} />}
      </Show>
    )
  }
}
