/** Every channel with its health at a glance. */

import { createMemo, createSignal, Show, Suspense } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { explain } from '#client/console/explain.ts'
import { Loaded } from '#client/console/lists/loaded.tsx'
import { asApiError, createLoad, createPages, queryOf, readAll } from '#client/console/load.ts'
import { vendorCard } from '#client/console/vendors.ts'
import { channelColumns, readFigures, withFigures } from '#client/features/channels/channel-columns.tsx'
import { t } from '#client/features/channels/messages.ts'
import { Button } from '#client/ui/button.tsx'
import { FilterBar, FilterChip, SearchField } from '#client/ui/console/filters.tsx'
import { Page } from '#client/ui/console/page.tsx'
import { createPicks } from '#client/ui/console/picks.tsx'
import { Empty, NoMatch } from '#client/ui/console/states.tsx'
import { DataTable, type Sort } from '#client/ui/console/table.tsx'
import { useUrlState } from '#client/ui/console/url-state.ts'
import { Icon } from '#client/ui/icon.tsx'
import { later } from '#client/ui/later.ts'
import { showToast } from '#client/ui/toast.tsx'
import type { ChannelPatch, ChannelRow, ChannelTotals } from '#shared/console/channel'
import { channelStates } from '#shared/console/channel-state'
import type { GroupRow } from '#shared/console/group'
import { BulkChannels } from './bulk-channels.tsx'
import { HealthStrip } from './health-strip.tsx'
import { ModelChip } from './model-chip.tsx'
import { RestsLine } from './rests-line.tsx'

const RemoveDialog = later(async () => (await import('#client/features/channels/remove-dialog.tsx')).RemoveDialog)
const ImportDialog = later(async () => (await import('./import-dialog.tsx')).ImportDialog)
const TestChannelsDialog = later(async () => (await import('#client/features/channels/testing/channels-dialog.tsx')).TestChannelsDialog)

/** `/admin/channels` */
export function ChannelsPage() {
  const url = useUrlState()
  const filters = ['q', 'group', 'vendor', 'tag', 'status', 'model'] as const
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
  const rows = createMemo(() => channels.value()?.map((row) => withFigures(row, figures.value())))
  const [removing, setRemoving] = createSignal<ChannelRow | null>(null)
  const [testing, setTesting] = createSignal<readonly ChannelRow[]>()
  const picks = createPicks(
    () => rows() ?? [],
    (row) => row.id,
    (row) => row.name,
  )
  const options = (values: readonly string[] = [], label = (value: string) => value) =>
    values.map((value) => ({ value, label: label(value) }))
  const reload = async () => {
    void totals.reload()
    await channels.reload()
  }

  /** Saves at once, with an undo. */
  const patch = async (row: ChannelRow, fields: ChannelPatch, text: string, undo: () => void) => {
    try {
      await callApi('PATCH', `/api/channels/${encodeURIComponent(row.id)}`, fields)
      showToast(text, { label: t('undo'), run: undo })
    } catch (thrown) {
      showToast(explain(asApiError(thrown)))
    }
    await reload()
  }
  const turn = (row: ChannelRow, enabled: boolean): Promise<void> =>
    patch(row, { enabled }, t(enabled ? 'turnedOn' : 'turnedOff', { name: row.name }), () => void turn(row, !enabled))
  const prioritize = (row: ChannelRow, priority: number): Promise<void> =>
    patch(
      row,
      { priority },
      t('prioritized', { name: row.name, priority: String(priority) }),
      () => void prioritize({ ...row, priority }, row.priority),
    )
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

  return (
    <Page
      title={t('title')}
      actions={
        <>
          <a class="btn ghost max-[759px]:hidden!" href="/admin/channels/simulate">
            {t('simulate')}
          </a>
          <Button look="ghost" class="max-[759px]:hidden!" onClick={() => url.set({ import: 'yes' })}>
            {t('import')}
          </Button>
          <a class="btn primary" href="/admin/channels/new">
            <Icon name="plus" />
            {t('add')}
          </a>
        </>
      }
    >
      <Loaded of={channels}>
        <div class="stack">
          <Show when={totals.value()?.channels ? totals.value() : undefined}>
            {(all) => <HealthStrip totals={all()} figures={figures.value()} />}
          </Show>
          <div>
            <Show
              when={picks.rows().length === 0}
              fallback={<BulkChannels picks={picks} onTest={setTesting} onDone={() => void reload()} />}
            >
              <FilterBar
                end={
                  <Button icon="pulse" onClick={() => setTesting(rows()?.filter(({ enabled }) => enabled))}>
                    {t('testAll')}
                  </Button>
                }
              >
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
                <ModelChip value={url.get('model')} onChange={(model) => url.set({ model })} />
              </FilterBar>
            </Show>
            <DataTable
              label={t('title')}
              view="channels"
              columns={[picks.column, ...channelColumns({ onTurn: turn, onPriority: prioritize, onReset: reset, onRemove: setRemoving })]}
              rows={rows()}
              stale={channels.loading()}
              rowId={(row) => row.id}
              sort={sort()}
              onSort={({ column, down }) => url.set({ sort: `${down ? '-' : ''}${column}` }, { replace: true })}
              below={(row) => (row.rests.length > 0 && row.enabled ? <RestsLine row={row} onReset={() => void reset(row)} /> : undefined)}
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
      </Loaded>
      <Suspense>
        <Show when={url.get('import') === 'yes'}>
          <ImportDialog
            onClose={() => url.set({ import: '' }, { replace: true })}
            onDone={() => {
              url.set({ import: '' }, { replace: true })
              void reload()
            }}
          />
        </Show>
        <Show when={testing()}>{(asked) => <TestChannelsDialog rows={asked()} onClose={() => setTesting(undefined)} />}</Show>
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
}
