/** Groups: ratio, budget, limits and members. The open one is in the URL. */
import { createSignal, Show } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { BudgetCell, limitsText } from '#client/console/budget-cell.tsx'
import { Loaded } from '#client/console/lists/loaded.tsx'
import { createLoad, createPages, queryOf } from '#client/console/load.ts'
import { createWrite } from '#client/console/write.ts'
import { Button } from '#client/ui/button.tsx'
import { FilterBar, FilterChip, SearchField } from '#client/ui/console/filters.tsx'
import { tc } from '#client/ui/console/messages.ts'
import { Page as Frame } from '#client/ui/console/page.tsx'
import { NoMatch, Refusal } from '#client/ui/console/states.tsx'
import { FileBadge } from '#client/ui/console/status.tsx'
import { DataTable, type Sort } from '#client/ui/console/table.tsx'
import { useUrlState } from '#client/ui/console/url-state.ts'
import { Confirm } from '#client/ui/dialog.tsx'
import { formatCount } from '#client/ui/format.ts'
import { Switch as Toggle } from '#client/ui/switch.tsx'
import { showToast } from '#client/ui/toast.tsx'
import type { ManagedGroupRow } from '#shared/console/group'
import type { Page } from '#shared/console/model'
import { GroupDialog } from './group-dialog.tsx'
import { t } from './messages.ts'

/** `/admin/groups` */
export function GroupsPage() {
  const url = useUrlState()
  const sort = (): Sort => {
    const text = url.get('sort') || 'name'
    return { column: text.replace('-', ''), down: text.startsWith('-') }
  }
  const asked = () => ({ q: url.get('q'), status: url.get('status'), sort: url.get('sort') })
  const groups = createPages<ManagedGroupRow>(() => `/api/groups?${queryOf({ all: 'true', limit: '100', ...asked() })}`)
  const [removing, setRemoving] = createSignal<ManagedGroupRow | null>(null)
  const write = createWrite()
  // The open group may not be among the loaded rows.
  const opened = createLoad(
    () => url.get('open') || undefined,
    async (name, signal) => {
      const { data } = await callApi<Page<ManagedGroupRow>>(
        'GET',
        `/api/groups?${queryOf({ all: 'true', q: name, limit: '200' })}`,
        undefined,
        signal,
      )
      return data.find((row) => row.name === name)
    },
  )
  const open = () => {
    const name = url.get('open')
    return groups.value()?.find((row) => row.name === name) ?? (opened.value()?.name === name ? opened.value() : undefined)
  }
  const turn = async (row: ManagedGroupRow, enabled: boolean) => {
    const path = `/api/groups/${encodeURIComponent(row.name)}`
    const done = await write.run(async () => {
      const next = await callApi<ManagedGroupRow>('PATCH', path, { enabled })
      groups.change((rows) => rows.map((one) => (one.name === next.name ? next : one)))
    })
    if (done)
      showToast(t(enabled ? 'turnedOn' : 'turnedOff', { name: row.name }), { label: t('undo'), run: () => void turn(row, !enabled) })
  }
  const close = () => url.set({ open: '', create: '' })
  const done = () => {
    close()
    showToast(t('saved'))
    void groups.reload()
  }
  const remove = async (row: ManagedGroupRow) => {
    setRemoving(null)
    if (!(await write.run(() => callApi('DELETE', `/api/groups/${encodeURIComponent(row.name)}`)))) return
    showToast(t('removed', { name: row.name }))
    void groups.reload()
  }
  return (
    <Frame
      title={t('title')}
      actions={
        <Button look="primary" icon="plus" onClick={() => url.set({ create: 'yes' })}>
          {t('add')}
        </Button>
      }
    >
      <p class="mb-4 max-w-[560px] text-[13px] text-ink-2">{t('intro')}</p>
      <Refusal of={write} class="mb-4" />
      <Loaded of={groups}>
        <FilterBar>
          <SearchField label={t('search')} value={url.get('q')} onSearch={(q) => url.set({ q })} />
          <FilterChip
            label={t('state')}
            value={url.get('status')}
            options={(['on', 'off'] as const).map((value) => ({ value, label: tc(value) }))}
            onChange={(status) => url.set({ status })}
          />
        </FilterBar>
        <DataTable
          label={t('title')}
          view="groups"
          rows={groups.value()}
          stale={groups.loading()}
          sort={sort()}
          onSort={({ column, down }) => url.set({ sort: `${down ? '-' : ''}${column}` }, { replace: true })}
          empty={
            <NoMatch
              filters={[url.get('q'), url.get('status')].filter(Boolean).join(', ')}
              onClear={() => url.set({ q: '', status: '' })}
            />
          }
          rowId={(row) => row.name}
          columns={[
            {
              id: 'name',
              label: t('group'),
              card: 'title',
              sorts: true,
              cell: (row) => (
                <>
                  <a href={`/admin/groups?open=${encodeURIComponent(row.name)}`}>{row.name}</a>
                  <small>{row.description}</small>
                </>
              ),
            },
            { id: 'ratio', label: t('ratio'), right: true, card: 'figure', sorts: true, cell: (row) => `× ${row.ratio}` },
            { id: 'channels', label: t('channels'), right: true, sorts: true, cell: (row) => formatCount(row.contents.channels) },
            {
              id: 'models',
              label: t('models'),
              right: true,
              wide: true,
              card: 'none',
              sorts: true,
              cell: (row) => (
                <Show when={row.usable} fallback={formatCount(row.contents.models)}>
                  <a href={`/models?group=${encodeURIComponent(row.name)}`}>{formatCount(row.contents.models)}</a>
                </Show>
              ),
            },
            {
              id: 'users',
              label: t('users'),
              right: true,
              sorts: true,
              cell: (row) => <a href={`/admin/users?group=${encodeURIComponent(row.name)}`}>{formatCount(row.contents.users)}</a>,
            },
            {
              id: 'keys',
              label: t('keys'),
              right: true,
              sorts: true,
              cell: (row) => <a href={`/keys?all=true&group=${encodeURIComponent(row.name)}`}>{formatCount(row.contents.keys)}</a>,
            },
            { id: 'budget', label: t('budget'), card: 'whole', cell: (row) => <BudgetCell row={row} /> },
            { id: 'limits', label: t('limits'), wide: true, cell: (row) => limitsText(row.limits) || <span class="na">{t('none')}</span> },
            {
              id: 'on',
              label: t('on'),
              cell: (row) => (
                <Show
                  when={row.managed === 'console' && row.name !== 'default'}
                  fallback={<span class="text-ink-3">{row.enabled ? tc('on') : tc('off')}</span>}
                >
                  <Toggle label={t('switchLabel', { name: row.name })} on={row.enabled} onChange={(on) => void turn(row, on)} />
                </Show>
              ),
            },
            {
              id: 'actions',
              label: t('actions'),
              bare: true,
              right: true,
              card: 'whole',
              cell: (row) => (
                <Show when={row.managed === 'console'} fallback={<FileBadge />}>
                  <Show when={row.name !== 'default'}>
                    <Button look="bad ghost" size="sm" aria-label={t('removeGo', { name: row.name })} onClick={() => setRemoving(row)}>
                      {t('remove')}
                    </Button>
                  </Show>
                </Show>
              ),
            },
          ]}
          foot={t('count', { count: groups.value()?.length ?? 0 }) + (groups.more() ? '+' : '')}
          more={groups.more()}
          footEnd={t('ratioHolds')}
        />
      </Loaded>
      <Show when={open()} keyed>
        {(row) => <GroupDialog row={row} onClose={close} onDone={done} />}
      </Show>
      <Show when={url.get('create') === 'yes'}>
        <GroupDialog onClose={close} onDone={done} />
      </Show>
      <Show when={removing()}>
        {(row) => (
          <Confirm
            title={t('removeTitle', { name: row().name })}
            intro={t('removeIntro')}
            safe={tc('cancel')}
            go={t('removeGo', { name: row().name })}
            onClose={() => setRemoving(null)}
            onGo={() => void remove(row())}
          />
        )}
      </Show>
    </Frame>
  )
}
