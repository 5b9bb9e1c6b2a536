/** Every user with balance, budget and what was spent. */
import { createMemo, createSignal, lazy, Match, Show, Suspense, Switch } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { BudgetCell } from '#client/console/budget-cell.tsx'
import { detailOf, explain } from '#client/console/explain.ts'
import { asApiError, createLoad, readAll } from '#client/console/load.ts'
import { Button } from '#client/ui/button.tsx'
import { FilterBar, FilterChip, SearchField } from '#client/ui/console/filters.tsx'
import { tc } from '#client/ui/console/messages.ts'
import { Monogram } from '#client/ui/console/monogram.tsx'
import { Page } from '#client/ui/console/page.tsx'
import { Empty, Failure, NoMatch } from '#client/ui/console/states.tsx'
import { type Stat, Stats } from '#client/ui/console/stats.tsx'
import { Badges, FileBadge } from '#client/ui/console/status.tsx'
import { type Column, DataTable, type Sort } from '#client/ui/console/table.tsx'
import { formatDay } from '#client/ui/console/time.ts'
import { useUrlState } from '#client/ui/console/url-state.ts'
import { formatCount, formatMoney } from '#client/ui/format.ts'
import { Menu } from '#client/ui/menu.tsx'
import { Switch as Toggle } from '#client/ui/switch.tsx'
import { showToast } from '#client/ui/toast.tsx'
import type { UsageReportRow } from '#shared/console/usage'
import type { AccountRow } from '#shared/console/user'
import { formatUsd, parseUsd } from '#shared/money'
import { t } from './messages.ts'

const AddUserDialog = lazy(async () => ({ default: (await import('./user-dialogs.tsx')).AddUserDialog }))
const CreditDialog = lazy(async () => ({ default: (await import('./user-dialogs.tsx')).CreditDialog }))
const RemoveUserDialog = lazy(async () => ({ default: (await import('./user-dialogs.tsx')).RemoveUserDialog }))

/** `/admin/users` */
export function UsersPage() {
  const url = useUrlState()
  const users = createLoad(
    () => '/api/users',
    (path, signal) => readAll<AccountRow>(path, signal, 10_000),
  )
  const spent = createLoad(
    () => '/api/usage?by=user',
    async (path, signal) => new Map((await readAll<UsageReportRow>(path, signal, 10_000)).map((row) => [row.user?.id ?? '', row.charged])),
  )
  const [dialog, setDialog] = createSignal<{ kind: 'credit' | 'remove'; row: AccountRow } | null>(null)
  const sort = (): Sort => {
    const text = url.get('sort') || 'name'
    return { column: text.replace('-', ''), down: text.startsWith('-') }
  }
  const rows = createMemo(() => {
    const q = url.get('q').toLowerCase()
    const { column, down } = sort()
    const value = (row: AccountRow) => (column === 'balance' ? Number(row.balance) : Number(spent.value()?.get(row.id) ?? 0))
    const order = (a: AccountRow, b: AccountRow) => (column === 'name' ? a.name.localeCompare(b.name) : value(a) - value(b))
    return users
      .value()
      ?.filter(
        (row) =>
          (row.name.toLowerCase().includes(q) || row.id === url.get('q')) &&
          (url.get('role') === '' || row.role === url.get('role')) &&
          (url.get('group') === '' || row.groups.includes(url.get('group'))) &&
          (url.get('state') === '' || row.enabled === (url.get('state') === 'on')),
      )
      .toSorted((a, b) => (down ? -1 : 1) * order(a, b))
  })
  const filters = () => [url.get('q'), url.get('role'), url.get('group'), url.get('state')].filter(Boolean).join(', ')
  const replace = (row: AccountRow) => users.set((users.value() ?? []).map((one) => (one.id === row.id ? row : one)))
  const turn = async (row: AccountRow, enabled: boolean) => {
    try {
      replace(await callApi<AccountRow>('PATCH', `/api/users/${encodeURIComponent(row.id)}`, { enabled }))
      const text = enabled ? t('turnedOn', { name: row.name }) : t('turnedOff', { name: row.name })
      showToast(text, { label: t('undo'), run: () => void turn(row, !enabled) })
    } catch (thrown) {
      showToast(explain(asApiError(thrown)))
    }
  }
  const columns: Column<AccountRow>[] = [
    {
      id: 'name',
      label: t('user'),
      card: 'title',
      sorts: true,
      cell: (row) => (
        <span class="flex items-center gap-3">
          <Monogram name={row.name} />
          <span class="min-w-0">
            <a href={`/admin/users/${encodeURIComponent(row.id)}`}>{row.name}</a>
            <small>
              {t(`role_${row.role}`)}
              <Show when={!row.signsIn}>, {t('cannotSignIn')}</Show>
            </small>
          </span>
        </span>
      ),
    },
    { id: 'groups', label: t('groups'), wide: true, cell: (row) => <Badges names={row.groups} /> },
    {
      id: 'balance',
      label: t('balance'),
      right: true,
      sorts: true,
      cell: (row) => <span title={`$${row.balance}`}>{formatMoney(row.balance)}</span>,
    },
    { id: 'held', label: t('heldNow'), right: true, wide: true, cell: (row) => formatMoney(row.held) },
    { id: 'spent', label: t('spent30'), right: true, sorts: true, cell: (row) => formatMoney(spent.value()?.get(row.id) ?? '0') },
    { id: 'budget', label: t('budget'), cell: (row) => <BudgetCell row={row} /> },
    { id: 'created', label: t('created'), wide: true, cell: (row) => <span class="text-ink-2">{formatDay(row.createdAt)}</span> },
    {
      id: 'on',
      label: t('on'),
      card: 'figure',
      cell: (row) => (
        <Show when={row.managed === 'console'} fallback={<FileBadge />}>
          <Toggle label={t('switchLabel', { name: row.name })} on={row.enabled} onChange={(on) => void turn(row, on)} />
        </Show>
      ),
    },
    {
      id: 'actions',
      label: t('actions'),
      bare: true,
      right: true,
      card: 'none',
      cell: (row) => (
        <Menu
          label={tc('moreOf', { name: row.name })}
          icon="more"
          items={() => [
            { kind: 'item', icon: 'plus', label: t('credit'), onSelect: () => setDialog({ kind: 'credit', row }) },
            ...(row.managed === 'console'
              ? [
                  {
                    kind: 'item' as const,
                    icon: 'trash' as const,
                    bad: true,
                    label: t('remove'),
                    onSelect: () => setDialog({ kind: 'remove', row }),
                  },
                ]
              : []),
          ]}
        />
      ),
    },
  ]
  return (
    <Page
      title={t('title')}
      actions={
        <Button look="primary" icon="plus" onClick={() => url.set({ create: 'yes' })}>
          {t('add')}
        </Button>
      }
    >
      <Show when={users.value()}>
        {(all) => (
          <div class="mb-4">
            <Stats label={t('title')} stats={figuresOf(all())} />
          </div>
        )}
      </Show>
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
          options={[...new Set(users.value()?.flatMap((row) => row.groups))].toSorted().map((value) => ({ value, label: value }))}
          onChange={(group) => url.set({ group })}
        />
        <FilterChip
          label={t('state')}
          value={url.get('state')}
          options={(['on', 'off'] as const).map((value) => ({ value, label: t(`state_${value}`) }))}
          onChange={(state) => url.set({ state })}
        />
      </FilterBar>
      <Show
        when={users.error() === undefined || users.value()}
        fallback={
          <Show when={users.error()}>
            {(error) => <Failure text={explain(error())} detail={detailOf(error())} onRetry={() => void users.reload()} />}
          </Show>
        }
      >
        <DataTable
          label={t('title')}
          columns={columns}
          rows={rows()}
          rowId={(row) => row.id}
          sort={sort()}
          onSort={({ column, down }) => url.set({ sort: `${down ? '-' : ''}${column}` }, { replace: true })}
          empty={
            <Show when={filters()} fallback={<Empty title={t('empty')}>{t('emptyWhy')}</Empty>}>
              {(active) => <NoMatch filters={active()} onClear={() => url.set({ q: '', role: '', group: '', state: '' })} />}
            </Show>
          }
          foot={t('count', { count: rows()?.length ?? 0 })}
        />
      </Show>
      <Suspense>
        <Show when={url.get('create') === 'yes'}>
          <AddUserDialog
            onClose={() => url.set({ create: '' })}
            onDone={() => {
              url.set({ create: '' }, { replace: true })
              void users.reload()
            }}
          />
        </Show>
        <Show when={dialog()}>
          {(asked) => (
            <Switch>
              <Match when={asked().kind === 'credit'}>
                <CreditDialog
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
                    void users.reload()
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

/** Below this balance, in USD, a user is about to be refused. */
const lowUsd = 5

function figuresOf(users: readonly AccountRow[]): Stat[] {
  const sum = (amount: (row: AccountRow) => string) => formatMoney(formatUsd(users.reduce((all, row) => all + parseUsd(amount(row)), 0n)))
  const enabled = users.filter((row) => row.enabled)
  return [
    { label: t('title'), value: formatCount(users.length), note: t('enabledCount', { count: enabled.length }) },
    { label: t('owed'), value: sum((row) => row.balance), note: t('owedNote') },
    { label: t('heldNow'), value: sum((row) => row.held), note: t('heldNote') },
    { label: t('low', { amount: `$${lowUsd}` }), value: formatCount(enabled.filter((row) => Number(row.balance) < lowUsd).length) },
  ]
}
