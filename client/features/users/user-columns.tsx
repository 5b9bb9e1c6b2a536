import { Show } from 'solid-js'
import { BudgetCell } from '#client/console/budget-cell.tsx'
import { Ago } from '#client/console/lists/ago.tsx'
import { tc } from '#client/ui/console/messages.ts'
import { Monogram, ShortName } from '#client/ui/console/monogram.tsx'
import type { Picks } from '#client/ui/console/picks.tsx'
import { Badges, FileBadge } from '#client/ui/console/status.tsx'
import type { Column } from '#client/ui/console/table.tsx'
import { formatMoney } from '#client/ui/format.ts'
import { Menu } from '#client/ui/menu.tsx'
import { Switch as Toggle } from '#client/ui/switch.tsx'
import type { AccountRow } from '#shared/console/user'
import { t } from './messages.ts'

/** The columns of the list of users. `spent` is a user's spend in thirty days, in USD; undefined until known. */
export function userColumns(props: {
  picks: Picks<AccountRow>
  spent(row: AccountRow): string | undefined
  onTurn(row: AccountRow, on: boolean): Promise<void>
  onAsk(kind: 'credit' | 'remove', row: AccountRow): void
}): Column<AccountRow>[] {
  return [
    props.picks.column,
    {
      id: 'name',
      label: t('user'),
      card: 'title',
      sorts: true,
      cell: (row) => (
        <span class="flex items-center gap-3">
          <Monogram name={row.name} />
          <span class="min-w-0">
            <ShortName name={row.name} href={`/admin/users/${encodeURIComponent(row.id)}`} />
            <small>
              {t(`role_${row.role}`)}
              <Show when={!row.signsIn}>, {t('cannotSignIn')}</Show>
              <Show when={row.secondFactor}>, {t('hasSecondFactor')}</Show>
            </small>
          </span>
        </span>
      ),
    },
    { id: 'groups', label: t('groups'), wide: true, card: 'none', cell: (row) => <Badges names={row.groups} /> },
    {
      id: 'balance',
      label: t('balance'),
      right: true,
      sorts: true,
      cell: (row) => <span title={`$${row.balance}`}>{formatMoney(row.balance)}</span>,
    },
    { id: 'held', label: t('heldNow'), right: true, wide: true, card: 'none', cell: (row) => formatMoney(row.held) },
    {
      id: 'spent',
      label: t('spent30'),
      right: true,
      sorts: true,
      cell: (row) => <Show when={props.spent(row)}>{(usd) => formatMoney(usd())}</Show>,
    },
    { id: 'budget', label: t('budget'), card: 'whole', cell: (row) => <BudgetCell row={row} /> },
    {
      id: 'lastSeen',
      label: t('seen'),
      wide: true,
      sorts: true,
      cell: (row) => (
        <span class="text-ink-2">
          <Ago at={row.lastSeenAt} />
        </span>
      ),
    },
    {
      id: 'on',
      label: t('on'),
      card: 'figure',
      cell: (row) => (
        <Show when={row.managed === 'console'} fallback={<FileBadge />}>
          <Toggle label={t('switchLabel', { name: row.name })} on={row.enabled} onChange={(on) => void props.onTurn(row, on)} />
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
            { kind: 'item', icon: 'plus', label: t('credit'), onSelect: () => props.onAsk('credit', row) },
            ...(row.managed === 'console'
              ? [
                  {
                    kind: 'item' as const,
                    icon: 'trash' as const,
                    bad: true,
                    label: t('remove'),
                    onSelect: () => props.onAsk('remove', row),
                  },
                ]
              : []),
          ]}
        />
      ),
    },
  ]
}
