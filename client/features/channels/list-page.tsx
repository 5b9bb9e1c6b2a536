/** Every channel with its health at a glance. */

import { createMemo, createSignal, For, Show, Suspense } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { detailOf, explain } from '#client/console/explain.ts'
import { asApiError, createLoad, readAll } from '#client/console/load.ts'
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
import type { ChannelRow } from '#shared/console/channel'
import { channelColumns, type LivingChannel, living, readFigures, stateOf } from './channel-columns.tsx'
import { t } from './messages.ts'
import { namesOf } from './model-lines.ts'
import { restedText } from './rest-text.ts'

const RemoveDialog = later(async () => (await import('./remove-dialog.tsx')).RemoveDialog)

/** `/admin/channels` */
export function ChannelsPage() {
  const url = useUrlState()
  const channels = createLoad(
    () => '/api/channels',
    (path, signal) => readAll<ChannelRow>(path, signal),
  )
  const figures = createLoad(() => true, readFigures)
  const rows = createMemo(() => channels.value()?.map((row) => living(row, figures.value())))
  const [removing, setRemoving] = createSignal<ChannelRow | null>(null)
  const filters = ['q', 'group', 'vendor', 'status'] as const
  const matching = createMemo(() => {
    const q = url.get('q').toLowerCase()
    const wanted = (row: LivingChannel) =>
      (url.get('group') === '' || row.groups.includes(url.get('group'))) &&
      (url.get('vendor') === '' || row.vendor === url.get('vendor')) &&
      (url.get('status') === '' || stateOf(row) === url.get('status')) &&
      [row.name, row.baseUrl ?? '', ...row.tags, ...row.models.map((model) => namesOf(model).name)].some((text) =>
        text.toLowerCase().includes(q),
      )
    return rows()?.filter(wanted).toSorted(by(sort()))
  })
  const sort = (): Sort => {
    const text = url.get('sort') || '-priority'
    return { column: text.replace('-', ''), down: text.startsWith('-') }
  }
  const values = (of: (row: ChannelRow) => readonly string[]) => [...new Set(channels.value()?.flatMap(of))].sort()

  const turn = async (row: ChannelRow, enabled: boolean) => {
    try {
      await callApi('PATCH', `/api/channels/${encodeURIComponent(row.id)}`, { enabled })
      await channels.reload()
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
          <Show when={(rows()?.length ?? 0) > 0}>
            <Stats
              label={t('health')}
              stats={[
                {
                  label: t('serving'),
                  value: rows()?.filter((row) => ['healthy', 'degraded'].includes(stateOf(row))).length ?? '–',
                  note: t('ofChannels', { count: rows()?.length ?? 0 }),
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
          </Show>
          <div>
            <FilterBar>
              <SearchField label={t('search')} value={url.get('q')} onSearch={(q) => url.set({ q }, { replace: true })} />
              <FilterChip
                label={t('group')}
                value={url.get('group')}
                options={values((row) => row.groups).map((value) => ({ value, label: value }))}
                onChange={(group) => url.set({ group })}
              />
              <FilterChip
                label={t('vendor')}
                value={url.get('vendor')}
                options={values((row) => [row.vendor]).map((value) => ({ value, label: vendorCard(value)?.title ?? value }))}
                onChange={(vendor) => url.set({ vendor })}
              />
              <FilterChip
                label={t('status')}
                value={url.get('status')}
                options={(['healthy', 'degraded', 'open', 'off'] as const).map((value) => ({ value, label: t(value) }))}
                onChange={(status) => url.set({ status })}
              />
            </FilterBar>
            <DataTable
              label={t('title')}
              columns={channelColumns({ onTurn: turn, onReset: reset, onRemove: setRemoving })}
              rows={matching()}
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
                    onClear={() => url.set({ q: '', group: '', vendor: '', status: '' })}
                  />
                </Show>
              }
              foot={t('count', { count: matching()?.length ?? 0 })}
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
                void channels.reload()
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

/** What needs attention comes first, whatever the order. */
function by({ column, down }: Sort): (a: LivingChannel, b: LivingChannel) => number {
  const sign = down ? -1 : 1
  return (a, b) => {
    const rank = Number(stateOf(b) === 'open') - Number(stateOf(a) === 'open')
    if (rank !== 0) return rank
    const order = column === 'name' ? a.name.localeCompare(b.name) : a.priority - b.priority
    return sign * order || a.name.localeCompare(b.name)
  }
}
