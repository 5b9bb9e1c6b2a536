/** Every user with balance, budget and spend. */
import { createMemo, createSignal, Match, Show, Suspense, Switch } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { explain } from '#client/console/explain.ts'
import { InvitationsCard } from '#client/console/lists/invitations-card.tsx'
import { Loaded } from '#client/console/lists/loaded.tsx'
import { createRowsUsage } from '#client/console/lists/rows-usage.ts'
import { asApiError, createLoad, createPages, queryOf, readAll } from '#client/console/load.ts'
import { Button } from '#client/ui/button.tsx'
import { FilterBar, FilterChip, SearchField } from '#client/ui/console/filters.tsx'
import { tc } from '#client/ui/console/messages.ts'
import { Page } from '#client/ui/console/page.tsx'
import { BulkBar, createPicks } from '#client/ui/console/picks.tsx'
import { Empty, NoMatch } from '#client/ui/console/states.tsx'
import { Stats } from '#client/ui/console/stats.tsx'
import { DataTable, type Sort } from '#client/ui/console/table.tsx'
import { LinkTabs } from '#client/ui/console/tabs.tsx'
import { useUrlState } from '#client/ui/console/url-state.ts'
import { later } from '#client/ui/later.ts'
import { showToast } from '#client/ui/toast.tsx'
import type { GroupRow } from '#shared/console/group'
import type { AccountRow, UserPatch, UserTotals } from '#shared/console/user'
import { t } from './messages.ts'
import { userColumns } from './user-columns.tsx'
import { figuresOf } from './user-figures.ts'

const Confirm = later(async () => (await import('#client/ui/dialog.tsx')).Confirm)
const AddUserDialog = later(async () => (await import('./user-dialogs.tsx')).AddUserDialog)
const CreditDialog = later(async () => (await import('#client/console/dialogs/credit-dialog.tsx')).CreditDialog<AccountRow>)
const RemoveUserDialog = later(async () => (await import('./user-dialogs.tsx')).RemoveUserDialog)

/** `/admin/users`: the users, or with `?tab=invitations` the invitation links. */
export function UsersPage() {
  const url = useUrlState()
  return (
    <Show when={url.get('tab') === 'invitations'} fallback={<UserList />}>
      <Page title={t('title')} tabs={<Tabs current="invitations" />}>
        <InvitationsCard />
      </Page>
    </Show>
  )
}

function Tabs(props: { current: 'users' | 'invitations' }) {
  return (
    <LinkTabs
      label={t('title')}
      current={props.current}
      tabs={[
        { id: 'users', label: t('title') },
        { id: 'invitations', label: t('invitations') },
      ]}
      href={(id) => (id === 'users' ? '/admin/users' : '/admin/users?tab=invitations')}
    />
  )
}

function UserList() {
  const url = useUrlState()
  const sort = (): Sort => {
    const text = url.get('sort') || 'name'
    return { column: text.replace('-', ''), down: text.startsWith('-') }
  }
  const filterNames = ['q', 'role', 'group', 'status'] as const
  const asked = () => Object.fromEntries([...filterNames, 'sort'].map((name) => [name, url.get(name)]))
  const users = createPages<AccountRow>(() => `/api/users?${queryOf({ limit: '50', ...asked() })}`)
  const totals = createLoad(
    () => '/api/users/totals',
    (path, signal) => callApi<UserTotals>('GET', path, undefined, signal),
  )
  const usage = createRowsUsage('users', () => users.value()?.map(({ id }) => id), { by: 'user' })
  const spent = createMemo(() => new Map(usage()?.map((row) => [row.user?.id ?? '', row.charged])))
  const reload = () => {
    void users.reload()
    void totals.reload()
  }
  const groups = createLoad(
    () => '/api/groups?all=true',
    (path, signal) => readAll<GroupRow>(path, signal),
  )
  const [turningOff, setTurningOff] = createSignal(false)
  const [dialog, setDialog] = createSignal<{ kind: 'credit' | 'remove'; row: AccountRow } | null>(null)
  const filters = () =>
    filterNames
      .map((name) => url.get(name))
      .filter(Boolean)
      .join(', ')
  const replace = (row: AccountRow) => {
    users.change((rows) => rows.map((one) => (one.id === row.id ? row : one)))
    void totals.reload()
  }
  const turn = async (row: AccountRow, enabled: boolean) => {
    try {
      replace(await callApi<AccountRow>('PATCH', `/api/users/${encodeURIComponent(row.id)}`, { enabled }))
      const text = enabled ? t('turnedOn', { name: row.name }) : t('turnedOff', { name: row.name })
      showToast(text, { label: t('undo'), run: () => void turn(row, !enabled) })
    } catch (thrown) {
      showToast(explain(asApiError(thrown)))
    }
  }
  const picks = createPicks(
    () => users.value() ?? [],
    (row) => row.id,
    (row) => row.name,
  )
  /** Changes every selected user that parley.yaml does not own, one after the other; stops at the first error. */
  const changeAll = async (patch: (row: AccountRow) => UserPatch) => {
    const chosen = picks.rows().filter((row) => row.managed === 'console')
    let done = 0
    try {
      for (const row of chosen) {
        replace(await callApi<AccountRow>('PATCH', `/api/users/${encodeURIComponent(row.id)}`, patch(row)))
        done += 1
      }
      picks.clear()
      showToast(t('bulkDone', { count: done }))
    } catch (thrown) {
      showToast(`${t('bulkDone', { count: done })} ${explain(asApiError(thrown))}`)
    }
  }
  const columns = userColumns({
    picks,
    spent: (row) => usage() && (spent().get(row.id) ?? '0'),
    onTurn: turn,
    onAsk: (kind, row) => setDialog({ kind, row }),
  })
  return (
    <Page
      title={t('title')}
      tabs={<Tabs current="users" />}
      actions={
        <Button look="primary" icon="plus" onClick={() => url.set({ create: 'yes' })}>
          {t('add')}
        </Button>
      }
    >
      <Show when={totals.value()}>
        {(all) => (
          <div class="mb-4">
            <Stats label={t('title')} stats={figuresOf(all())} />
          </div>
        )}
      </Show>
      <Show
        when={picks.rows().length === 0}
        fallback={
          <BulkBar picks={picks}>
            <Button onClick={() => void changeAll(() => ({ enabled: true }))}>{t('bulkOn')}</Button>
            <Button look="bad" onClick={() => setTurningOff(true)}>
              {t('bulkOff')}
            </Button>
            <FilterChip
              label={t('bulkGroup')}
              value=""
              options={(groups.value() ?? []).map(({ name }) => ({ value: name, label: name }))}
              onChange={(group) => group && void changeAll((row) => ({ groups: [...new Set([...row.groups, group])] }))}
            />
          </BulkBar>
        }
      >
        <FilterBar>
          <SearchField label={t('search')} value={url.get('q')} onSearch={(q) => url.set({ q }, { replace: true })} />
          <FilterChip
            label={t('role')}
            value={url.get('role')}
            options={(['user', 'admin'] as const).map((value) => ({ value, label: t(`role_${value}`) }))}
            onChange={(role) => url.set({ role })}
          />
          <FilterChip
            label={t('inGroup')}
            value={url.get('group')}
            options={(groups.value() ?? []).map(({ name }) => ({ value: name, label: name }))}
            onChange={(group) => url.set({ group })}
          />
          <FilterChip
            label={t('state')}
            value={url.get('status')}
            options={(['on', 'off'] as const).map((value) => ({ value, label: t(`state_${value}`) }))}
            onChange={(status) => url.set({ status })}
          />
        </FilterBar>
      </Show>
      <Loaded of={users} onRetry={reload}>
        <DataTable
          label={t('title')}
          view="users"
          columns={columns}
          rows={users.value()}
          rowId={(row) => row.id}
          stale={users.loading()}
          sort={sort()}
          onSort={({ column, down }) => url.set({ sort: `${down ? '-' : ''}${column}` }, { replace: true })}
          empty={
            <Show when={filters()} fallback={<Empty title={t('empty')}>{t('emptyWhy')}</Empty>}>
              {(active) => <NoMatch filters={active()} onClear={() => url.set({ q: '', role: '', group: '', status: '' })} />}
            </Show>
          }
          foot={t('count', { count: users.value()?.length ?? 0 }) + (users.more() ? '+' : '')}
          more={users.more()}
        />
      </Loaded>
      <Suspense>
        <Show when={url.get('create') === 'yes'}>
          <AddUserDialog
            onClose={() => url.set({ create: '' })}
            onDone={() => {
              url.set({ create: '' }, { replace: true })
              reload()
            }}
          />
        </Show>
        <Show when={turningOff()}>
          <Confirm
            title={t('bulkOffTitle', { count: picks.rows().length })}
            intro={t('bulkOffIntro', {
              names: picks
                .rows()
                .map((row) => row.name)
                .join(', '),
            })}
            safe={tc('cancel')}
            go={t('bulkOff')}
            onClose={() => setTurningOff(false)}
            onGo={() => {
              setTurningOff(false)
              void changeAll(() => ({ enabled: false }))
            }}
          />
        </Show>
        <Show when={dialog()}>
          {(asked) => (
            <Switch>
              <Match when={asked().kind === 'credit'}>
                <CreditDialog
                  of="user"
                  row={asked().row}
                  onClose={() => setDialog(null)}
                  onDone={(row) => {
                    replace(row)
                    setDialog(null)
                  }}
                />
              </Match>
              <Match when={asked().kind === 'remove'}>
                <RemoveUserDialog
                  row={asked().row}
                  onClose={() => setDialog(null)}
                  onDone={() => {
                    setDialog(null)
                    reload()
                  }}
                />
              </Match>
            </Switch>
          )}
        </Show>
      </Suspense>
    </Page>
  )
}
