import { Show } from 'solid-js'
import { ShortName } from '#client/ui/console/monogram.tsx'
import { type Shape, Status } from '#client/ui/console/status.tsx'
import type { Column } from '#client/ui/console/table.tsx'
import { formatBoth, formatDuration, formatWhen } from '#client/ui/console/time.ts'
import { formatCompact, formatCount, formatMoney } from '#client/ui/format.ts'
import type { LogRow, UsageRow } from '#shared/console/log'
import { adminColumns, type ColumnName, columnNames } from './column-choice.ts'
import { t } from './messages.ts'

/** The status shape of a request; undefined if it succeeded. */
export function shapeOf(row: LogRow): Shape | undefined {
  if (row.end === 'aborted') return 'warn'
  if (row.status >= 400 || row.end === 'cut' || row.end === 'error') return 'bad'
  return row.end === 'length' ? 'off' : undefined
}

/** Every input token of a request, of whatever kind. */
export const inputTokens = ({ in: { fresh, cacheRead, cacheWrite } }: UsageRow): number =>
  fresh + cacheRead + cacheWrite['5m'] + cacheWrite['1h'] + cacheWrite.other

const orDash = (name: string | null | undefined) => (name ? <ShortName name={name} /> : <span class="na">–</span>)

/** The columns of the list of requests. `narrow` leaves room for the drawer. */
export function requestColumns({
  admin,
  narrow,
  chosen,
  href,
}: {
  admin: boolean
  narrow: boolean
  chosen: readonly ColumnName[]
  href(row: LogRow): string
}): Column<LogRow>[] {
  const columns: Column<LogRow>[] = [
    {
      id: 'time',
      label: t('time'),
      card: 'under',
      cell: (row) => (
        <span class="num text-ink-2" title={formatBoth(row.at)}>
          {formatWhen(row.at, true)}
        </span>
      ),
    },
    { id: 'model', label: t('model'), card: 'title', cell: (row) => <ShortName name={row.model} href={href(row)} /> },
    {
      id: 'key',
      label: t('key'),
      card: 'none',
      cell: (row) => (row.key === null ? <span class="text-ink-3">{t('playground')}</span> : <ShortName name={row.key} />),
    },
    { id: 'user', label: t('user'), wide: true, card: 'none', cell: (row) => row.user?.name },
    { id: 'group', label: t('group'), wide: true, card: 'none', cell: (row) => row.group },
    {
      id: 'status',
      label: t('status'),
      card: 'state',
      cell: (row) => (
        <Show when={shapeOf(row)} fallback={<span class="num pl-[15px]">{row.status}</span>}>
          {(shape) => (
            <Status shape={shape()}>
              <span class="num" title={row.repeats ? t('standsFor', { count: row.repeats }) : undefined}>
                {row.repeats ? `${row.status} × ${formatCount(row.repeats)}` : row.status}
              </span>
              <span class="hidden-text">{t(`end_${row.end}`)}</span>
            </Status>
          )}
        </Show>
      ),
    },
    { id: 'end', label: t('end'), wide: true, card: 'none', cell: (row) => t(`end_${row.end}`) },
    {
      id: 'error',
      label: t('error'),
      wide: true,
      card: 'none',
      cell: (row) => (row.error ? <code>{row.error.code}</code> : <span class="na">–</span>),
    },
    { id: 'endpoint', label: t('endpoint'), wide: true, card: 'none', cell: (row) => `${row.dialect}, ${row.operation}` },
    { id: 'stream', label: t('stream'), wide: true, card: 'none', cell: (row) => t(row.stream ? 'yes' : 'no') },
    {
      id: 'channel',
      label: t('channel'),
      wide: true,
      card: 'none',
      cell: (row) => orDash(row.channel),
    },
    {
      id: 'upstreamModel',
      label: t('upstreamModel'),
      wide: true,
      card: 'none',
      cell: (row) => orDash(row.upstreamModel ?? row.answeredModel),
    },
    {
      id: 'losses',
      label: t('losses'),
      right: true,
      wide: true,
      card: 'none',
      cell: (row) => row.losses.length || <span class="na">–</span>,
    },
    {
      id: 'tokens',
      label: t('tokens'),
      right: true,
      wide: true,
      card: 'none',
      cell: (row) => (
        <Show when={row.usage} fallback={<span class="na">–</span>}>
          {(usage) => `${formatCompact(inputTokens(usage()))} / ${formatCompact(usage().out.total)}`}
        </Show>
      ),
    },
    {
      id: 'first',
      label: t('first'),
      right: true,
      wide: true,
      card: 'none',
      cell: (row) => (row.firstTokenMs === null ? <span class="na">–</span> : formatDuration(row.firstTokenMs)),
    },
    { id: 'total', label: t('total'), right: true, card: 'none', cell: (row) => formatDuration(row.totalMs) },
    {
      id: 'charged',
      label: t('charged'),
      right: true,
      wide: true,
      card: 'none',
      cell: (row) => <span title={`$${row.charged}`}>{formatMoney(row.charged)}</span>,
    },
    {
      id: 'cost',
      label: t('cost'),
      right: true,
      card: 'figure',
      cell: (row) => <span title={`$${row.cost}`}>{formatMoney(row.cost)}</span>,
    },
  ]
  const always = ['time', 'model']
  const besideDrawer = ['status', 'cost']
  return columns.filter(({ id }) => {
    if (always.includes(id)) return true
    const name = columnNames.find((one) => one === id)
    return name !== undefined && chosen.includes(name) && (admin || !adminColumns.includes(name)) && (!narrow || besideDrawer.includes(id))
  })
}
