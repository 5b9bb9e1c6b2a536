import { For, Show } from 'solid-js'
import { Meter } from '#client/ui/console/meter.tsx'
import { Cell, type Column, DataTable } from '#client/ui/console/table.tsx'
import { formatDay, formatDuration, formatWhen } from '#client/ui/console/time.ts'
import { formatCompact, formatCount, formatMoney, formatPercent } from '#client/ui/format.ts'
import { Icon } from '#client/ui/icon.tsx'
import type { Percentiles, UsageReportRow } from '#shared/console/usage'
import { tokensIn } from './figures.ts'
import { t } from './messages.ts'
import { type Dimension, isTime, nameOf, type Report, seriesOf } from './report.ts'

interface TableProps {
  report: Report
  rows: readonly UsageReportRow[]
  by: Dimension
  admin: boolean
  onFilter(name: Dimension, value: string): void
}

const percentilesText = ({ p50, p95, p99 }: Percentiles) =>
  `p50 ${formatDuration(p50)}, p95 ${formatDuration(p95)}, p99 ${formatDuration(p99)}`

/** The numbers of the charts; the swatches are the legend. */
export function UsageTable(props: TableProps) {
  const total = () => props.report.total
  const coloured = () => seriesOf(props.report, props.by).coloured
  const share = (row: UsageReportRow) => Number(row.charged) / Math.max(Number(total()?.charged ?? 0), 1e-9)
  const timeText = (name: string) => (props.by === 'hour' ? formatWhen(name) : props.by === 'day' ? formatDay(name) : name)
  const columns = (): Column<UsageReportRow>[] => [
    {
      id: 'name',
      label: t(`by_${props.by}`),
      card: 'title',
      cell: (row) => {
        const { id, name } = nameOf(row, props.by)
        const colour = coloured().indexOf(id)
        return (
          <span class="flex items-center">
            <Show when={!isTime(props.by)}>
              <span class={`swatch ${colour < 0 ? '' : `s${colour}`}`} aria-hidden="true" />
            </Show>
            <Show when={!isTime(props.by) && id !== ''} fallback={timeText(name)}>
              <button
                type="button"
                class="short text-left font-medium hover:text-accent"
                title={t('filter', { name })}
                onClick={() => props.onFilter(props.by, id)}
              >
                {name}
              </button>
            </Show>
          </span>
        )
      },
    },
    { id: 'requests', label: t('requests'), right: true, cell: (row) => formatCount(row.requests) },
    { id: 'in', label: t('tokensIn'), right: true, cell: (row) => formatCompact(tokensIn(row)) },
    {
      id: 'cached',
      label: t('cached'),
      right: true,
      wide: true,
      cell: (row) => formatPercent(row.tokens.in.cacheRead / Math.max(1, tokensIn(row)), 1),
    },
    { id: 'out', label: t('tokensOut'), right: true, cell: (row) => formatCompact(row.tokens.out.total) },
    {
      id: 'reasoning',
      label: t('reasoning'),
      right: true,
      wide: true,
      roomy: true,
      cell: (row) => (row.tokens.out.reasoning > 0 ? formatCompact(row.tokens.out.reasoning) : <span class="na">–</span>),
    },
    { id: 'errors', label: t('errors'), right: true, cell: (row) => formatPercent(row.requests === 0 ? 0 : row.errors / row.requests, 2) },
    {
      id: 'p95',
      label: t('p95'),
      right: true,
      wide: true,
      cell: (row) => (
        <Show when={row.latency.firstToken} fallback={<span class="na">–</span>}>
          {(times) => <span title={percentilesText(times())}>{formatDuration(times().p95)}</span>}
        </Show>
      ),
    },
    ...(props.admin
      ? [
          {
            id: 'margin',
            label: t('margin'),
            right: true,
            wide: true,
            cell: (row: UsageReportRow) => (row.margin ? formatMoney(row.margin) : <span class="na">–</span>),
          },
        ]
      : []),
    {
      id: 'share',
      label: t('share'),
      right: true,
      wide: true,
      cell: (row) => (
        <span class="flex items-center justify-end gap-2.5">
          <span class="w-16 max-[1399px]:hidden">
            <Meter plain share={share(row)} label={`${t('share')} ${formatPercent(share(row), 1)}`} />
          </span>
          <span class="min-w-9">{formatPercent(share(row), 1)}</span>
        </span>
      ),
    },
    {
      id: 'charged',
      label: t('charged'),
      right: true,
      card: 'figure',
      cell: (row) => <b title={`$${row.charged}`}>{formatMoney(row.charged)}</b>,
    },
  ]
  return (
    <DataTable
      label={t('title')}
      view="usage"
      columns={columns()}
      rows={props.rows}
      rowId={(row) => nameOf(row, props.by).id}
      {...(props.by === 'hour' && { rowPx: 36 })}
      total={
        total() &&
        ((shown) => (
          <tr>
            <For each={shown}>{(column) => <SumCell column={column} sum={total() as UsageReportRow} />}</For>
          </tr>
        ))
      }
      foot={
        <span class="inline-flex items-center gap-2">
          <Icon name="check" small />
          {t('equal')}
        </span>
      }
      footEnd={t('updated', { time: formatWhen(props.report.at, true) })}
    />
  )
}

/** A sum under its column; the first one says what the row is. */
function SumCell(props: { column: Column<UsageReportRow>; sum: UsageReportRow }) {
  return (
    <Cell column={props.column}>
      <Show when={props.column.id !== 'name'} fallback={t('total')}>
        <Show when={props.column.id !== 'share'}>{props.column.cell(props.sum)}</Show>
      </Show>
    </Cell>
  )
}
