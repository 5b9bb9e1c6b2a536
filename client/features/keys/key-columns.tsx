import { Match, Show, Switch } from 'solid-js'
import { BudgetCell, limitsText } from '#client/console/budget-cell.tsx'
import { tightest } from '#client/console/limits.ts'
import { Ago } from '#client/console/lists/ago.tsx'
import { ts } from '#client/console/messages.ts'
import { DayBars } from '#client/ui/console/day-bars.tsx'
import { tc } from '#client/ui/console/messages.ts'
import { ShortName } from '#client/ui/console/monogram.tsx'
import { FileBadge } from '#client/ui/console/status.tsx'
import type { Column } from '#client/ui/console/table.tsx'
import { formatDay } from '#client/ui/console/time.ts'
import { formatMoney } from '#client/ui/format.ts'
import { Menu } from '#client/ui/menu.tsx'
import { Switch as Toggle } from '#client/ui/switch.tsx'
import type { KeyRow } from '#shared/console/key'
import { t } from './messages.ts'
import type { KeySpend } from './spend.ts'

interface Parts {
  everybody: boolean
  /** The recent spend of each key; undefined until known. */
  spend(): KeySpend | undefined
  onTurn(row: KeyRow, enabled: boolean): void
  onAsk(kind: 'rotate' | 'revoke', row: KeyRow): void
}

/** Why the key cannot be used now, apart from being off. */
export function stopped(row: KeyRow): 'expired' | 'usedUp' | undefined {
  if (row.expiresAt !== null && Date.parse(row.expiresAt) <= Date.now()) return 'expired'
  return (tightest(row)?.share ?? 0) >= 1 ? 'usedUp' : undefined
}

/** The models in short. */
export function modelsText(models: readonly string[] | null): string {
  const [first, ...others] = models ?? []
  if (first === undefined) return t('modelsAll')
  return others.length === 0 ? first : others.length === 1 ? `${first}, ${others[0]}` : t('modelsSome', { first, count: others.length })
}

/** The columns of the list of keys. */
export function keyColumns({ everybody, spend, onTurn, onAsk }: Parts): Column<KeyRow>[] {
  const owner: Column<KeyRow> = { id: 'owner', label: t('owner'), cell: (row) => <ShortName name={row.user.name} /> }
  return [
    {
      id: 'name',
      label: t('key'),
      card: 'title',
      sorts: true,
      cell: (row) => (
        <>
          <ShortName name={row.name} href={`/keys/${encodeURIComponent(row.id)}`} />
          <small class="mono">{row.hint}</small>
        </>
      ),
    },
    ...(everybody ? [owner] : []),
    {
      id: 'group',
      label: t('group'),
      wide: true,
      card: 'none',
      cell: (row) => (
        <Show when={row.group} fallback={<span class="na">{t('groupOfOwner')}</span>}>
          <span class="bdg">{row.group}</span>
        </Show>
      ),
    },
    {
      id: 'models',
      label: t('models'),
      wide: true,
      card: 'none',
      cell: (row) => <span class="text-ink-2">{modelsText(row.models)}</span>,
    },
    { id: 'budget', label: t('budget'), card: 'whole', cell: (row) => <BudgetCell row={row} /> },
    {
      id: 'rate',
      label: t('rate'),
      right: true,
      wide: true,
      card: 'none',
      cell: (row) => limitsText(row.limits) || <span class="na">{ts('none')}</span>,
    },
    {
      id: 'spend',
      label: t('spend14'),
      wide: true,
      card: 'none',
      cell: (row) => (
        <Show when={spend()}>
          {(known) => {
            const own = () => known().of(row.id)
            return <DayBars values={own().byDay} label={`${t('spend14')}: ${formatMoney(own().charged)}`} />
          }}
        </Show>
      ),
    },
    {
      id: 'lastUsed',
      label: t('lastUsed'),
      sorts: true,
      cell: (row) => (
        <span>
          <Ago at={row.lastUsedAt} />
          <Show when={row.lastUsedFrom}>
            <small class="mono">{row.lastUsedFrom}</small>
          </Show>
        </span>
      ),
    },
    {
      id: 'on',
      label: t('on'),
      card: 'figure',
      cell: (row) => (
        <Switch fallback={<Toggle label={t('switchLabel', { name: row.name })} on={row.enabled} onChange={(on) => onTurn(row, on)} />}>
          <Match when={row.managed === 'file'}>
            <FileBadge />
          </Match>
          <Match when={row.enabled && stopped(row)}>
            {(why) => <span class="bdg bad">{why() === 'expired' ? t('expired') : t('usedUp')}</span>}
          </Match>
        </Switch>
      ),
    },
    {
      id: 'actions',
      label: t('actions'),
      bare: true,
      card: 'none',
      right: true,
      cell: (row) => (
        <Show when={row.managed === 'console'}>
          <Menu
            label={tc('moreOf', { name: row.name })}
            icon="more"
            items={() => [
              { kind: 'item', icon: 'redo', label: t('rotate'), onSelect: () => onAsk('rotate', row) },
              { kind: 'item', icon: 'trash', bad: true, label: t('revoke'), onSelect: () => onAsk('revoke', row) },
            ]}
          />
        </Show>
      ),
    },
  ]
}

/** Its expiry as text; empty if it never expires. */
export const expiryText = (row: KeyRow): string =>
  row.expiresAt === null
    ? ''
    : Date.parse(row.expiresAt) <= Date.now()
      ? t('hasExpired')
      : t('expiresOn', { day: formatDay(row.expiresAt) })
