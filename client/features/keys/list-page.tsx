/** The keys that the user may see: their own, or all for administrators. */
import { createSignal, Match, Show, Suspense, Switch } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { useSession } from '#client/api/session.ts'
import { explain } from '#client/console/explain.ts'
import { Loaded } from '#client/console/lists/loaded.tsx'
import { asApiError, createLoad, createPages, queryOf, readAll } from '#client/console/load.ts'
import { Button } from '#client/ui/button.tsx'
import { FilterBar, FilterChip, SearchField, Segments } from '#client/ui/console/filters.tsx'
import { Page } from '#client/ui/console/page.tsx'
import { createPicks } from '#client/ui/console/picks.tsx'
import { Empty, NoMatch } from '#client/ui/console/states.tsx'
import { DataTable, type Sort } from '#client/ui/console/table.tsx'
import { useUrlState } from '#client/ui/console/url-state.ts'
import { later } from '#client/ui/later.ts'
import { showToast } from '#client/ui/toast.tsx'
import type { GroupRow } from '#shared/console/group'
import type { KeyRow } from '#shared/console/key'
import { BulkKeys } from './bulk-keys.tsx'
import { type Preset, presets } from './draft.ts'
import { keyColumns } from './key-columns.tsx'
import { t } from './messages.ts'
import { NewKey } from './new-key.tsx'
import { createSpendOf } from './spend.ts'

const CreateDialog = later(async () => (await import('./create-dialog.tsx')).CreateDialog)
const RotateDialog = later(async () => (await import('./key-dialogs.tsx')).RotateDialog)
const RevokeDialog = later(async () => (await import('./key-dialogs.tsx')).RevokeDialog)

/** `/keys` */
export function KeysPage() {
  const { admin } = useSession()
  const url = useUrlState()
  const everybody = () => admin() && (url.get('all') === 'true' || url.get('user') !== '')
  const sort = (): Sort => {
    const text = url.get('sort') || '-lastUsed'
    return { column: text.replace('-', ''), down: text.startsWith('-') }
  }
  const pages = createPages<KeyRow>(() => {
    const { column, down } = sort()
    const filters = {
      q: url.get('q'),
      status: url.get('status'),
      user: url.get('user'),
      group: url.get('group'),
      all: url.get('all') && String(everybody()),
    }
    return `/api/keys?${queryOf({ limit: '50', sort: `${down ? '-' : ''}${column}`, ...filters })}`
  })
  const spend = createSpendOf(14, () => pages.value()?.map(({ id }) => id))
  const groups = createLoad(
    () => `/api/groups${everybody() ? '?all=true' : ''}`,
    (path, signal) => readAll<GroupRow>(path, signal),
  )
  const [dialog, setDialog] = createSignal<{ kind: 'rotate' | 'revoke'; row: KeyRow } | null>(null)
  const creating = (): Preset | undefined => presets.find((preset) => preset === url.get('create'))
  const filtered = () => [url.get('q'), url.get('status'), url.get('user'), url.get('group')].filter(Boolean)

  const turn = async (row: KeyRow, enabled: boolean) => {
    const show = (now: boolean) => pages.change((rows) => rows.map((one) => (one.id === row.id ? { ...one, enabled: now } : one)))
    show(enabled)
    try {
      await callApi('PATCH', `/api/keys/${encodeURIComponent(row.id)}`, { enabled })
      const text = enabled ? t('turnedOn', { name: row.name }) : t('turnedOff', { name: row.name })
      showToast(text, { label: t('undo'), run: () => void turn(row, !enabled) })
    } catch (thrown) {
      show(!enabled)
      showToast(explain(asApiError(thrown)))
    }
  }
  const picks = createPicks(
    () => pages.value() ?? [],
    (row) => row.id,
    (row) => row.name,
  )
  const create = (preset: Preset) => url.set({ create: preset })
  const done = () => {
    setDialog(null)
    void pages.reload()
  }

  return (
    <Page
      title={t('title')}
      actions={
        <Button look="primary" icon="plus" onClick={() => create('app')}>
          {t('create')}
        </Button>
      }
    >
      <NewKey />
      <Show when={picks.rows().length === 0} fallback={<BulkKeys picks={picks} onDone={() => void pages.reload()} />}>
        <FilterBar>
          <SearchField label={t('search')} value={url.get('q')} onSearch={(q) => url.set({ q }, { replace: true })} />
          <Show when={admin()}>
            <Segments
              label={t('whose')}
              value={everybody() ? 'all' : 'mine'}
              options={[
                { value: 'mine', label: t('mine') },
                { value: 'all', label: t('everybody') },
              ]}
              onChange={(whose) => url.set({ all: whose === 'all' ? 'true' : '', user: '' })}
            />
          </Show>
          <FilterChip
            label={t('status')}
            value={url.get('status')}
            options={[
              { value: 'active', label: t('active') },
              { value: 'off', label: t('off') },
              { value: 'expired', label: t('expired') },
            ]}
            onChange={(status) => url.set({ status })}
          />
          <FilterChip
            label={t('group')}
            value={url.get('group')}
            options={(groups.value() ?? []).map(({ name }) => ({ value: name, label: name }))}
            onChange={(group) => url.set({ group })}
          />
          <Show when={url.get('user')}>
            {(user) => (
              <FilterChip
                label={t('owner')}
                value={user()}
                options={[{ value: user(), label: user() }]}
                onChange={(one) => url.set({ user: one })}
              />
            )}
          </Show>
        </FilterBar>
      </Show>
      <Loaded of={pages}>
        <DataTable
          label={t('title')}
          view="keys"
          columns={[
            picks.column,
            ...keyColumns({
              everybody: everybody(),
              spend,
              onTurn: turn,
              onAsk: (kind, row) => setDialog({ kind, row }),
            }),
          ]}
          rows={pages.value()}
          rowId={(row) => row.id}
          stale={pages.loading()}
          sort={sort()}
          onSort={({ column, down }) => url.set({ sort: `${down ? '-' : ''}${column}` }, { replace: true })}
          empty={
            <Show
              when={filtered().length > 0}
              fallback={
                <Empty
                  title={t('empty')}
                  action={
                    <Button look="primary" onClick={() => create('app')}>
                      {t('create')}
                    </Button>
                  }
                >
                  {t('emptyWhy')}
                </Empty>
              }
            >
              <NoMatch filters={filtered().join(', ')} onClear={() => url.set({ q: '', status: '', user: '', group: '' })} />
            </Show>
          }
          foot={t('count', { count: pages.value()?.length ?? 0 }) + (pages.more() ? '+' : '')}
          more={pages.more()}
        />
      </Loaded>
      <Suspense>
        <Show when={creating()}>
          {(preset) => (
            <CreateDialog
              preset={preset()}
              owner={url.get('user')}
              onPreset={(next) => url.set({ create: next }, { replace: true })}
              onClose={() => url.set({ create: '' })}
              onMade={() => {
                url.set({ create: '' }, { replace: true })
                void pages.reload()
              }}
            />
          )}
        </Show>
        <Show when={dialog()}>
          {(asked) => (
            <Switch>
              <Match when={asked().kind === 'rotate'}>
                <RotateDialog row={asked().row} onDone={done} onClose={() => setDialog(null)} />
              </Match>
              <Match when={asked().kind === 'revoke'}>
                <RevokeDialog row={asked().row} onDone={done} onClose={() => setDialog(null)} />
              </Match>
            </Switch>
          )}
        </Show>
      </Suspense>
    </Page>
  )
}
