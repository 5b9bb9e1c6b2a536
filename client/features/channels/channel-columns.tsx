import { Show } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { readAll } from '#client/console/load.ts'
import { ts } from '#client/console/messages.ts'
import { causeText } from '#client/console/rest-text.ts'
import { isDemo, vendorCard } from '#client/console/vendors.ts'
import { tc } from '#client/ui/console/messages.ts'
import { Monogram, ShortName } from '#client/ui/console/monogram.tsx'
import { Badges, FileBadge, type Shape, Status } from '#client/ui/console/status.tsx'
import type { Column } from '#client/ui/console/table.tsx'
import { formatDuration } from '#client/ui/console/time.ts'
import { formatPercent } from '#client/ui/format.ts'
import { Menu } from '#client/ui/menu.tsx'
import { Switch as Toggle } from '#client/ui/switch.tsx'
import type { ChannelAttempts, ChannelHealthRow, ChannelRow, HealthRow } from '#shared/console/channel'
import { type ChannelState, channelState } from '#shared/console/channel-state'
import type { Page } from '#shared/console/model'
import type { UsageReportRow, UsageTotals } from '#shared/console/usage'
import { type Slice, sliceOf, sumOf } from './beside/slice.ts'
import { Slices } from './beside/slices.tsx'
import { t } from './messages.ts'
import { PriorityField } from './priority-field.tsx'

/** Outcomes of requests and attempts in the last hour, and what rests now. */
export interface Figures {
  /** Answered requests by channel name: usage rows have no channel id. */
  byChannel: Map<string, UsageReportRow>
  /** Attempts, whatever the outcome of their request, by channel id, oldest first. */
  slices: Map<string, Slice[]>
  total: UsageTotals | undefined
  /** What rests, and what failed recently without resting. */
  rests: ChannelHealthRow[]
  failures: ChannelHealthRow[]
}

/** A channel with its figures. */
export interface ChannelWithFigures extends ChannelRow {
  hour: UsageReportRow | undefined
  slices: readonly (Slice | undefined)[]
  rests: ChannelHealthRow[]
  /** The error code of its last remembered failure. */
  lastError: string | undefined
}

/** Reads the figures. Throws ApiError. */
export async function readFigures(_: boolean, signal: AbortSignal): Promise<Figures> {
  const from = new Date(Date.now() - hourMs).toISOString()
  const [byChannel, attempts, total, ailments] = await Promise.all([
    readAll<UsageReportRow>(`/api/usage?by=channel&from=${from}`, signal),
    readAll<ChannelAttempts>('/api/channels/outcomes', signal),
    callApi<Page<UsageTotals>>('GET', `/api/usage?from=${from}`, undefined, signal),
    callApi<Page<ChannelHealthRow>>('GET', '/api/health?lately=true', undefined, signal),
  ])
  return {
    byChannel: new Map(byChannel.map((row) => [row.channel ?? '', row])),
    slices: new Map(attempts.map(({ channelId, slices }) => [channelId, slices.map(sliceOf)])),
    total: total.data[0],
    rests: penalties(ailments.data),
    failures: ailments.data,
  }
}

const hourMs = 3_600_000
const noSlices: readonly undefined[] = Array.from({ length: 24 }, () => undefined)

/** The channel with its figures. */
export const withFigures = (row: ChannelRow, figures: Figures | undefined): ChannelWithFigures => ({
  ...row,
  hour: figures?.byChannel.get(row.name),
  slices: figures?.slices.get(row.id) ?? noSlices,
  rests: figures?.rests.filter((rest) => rest.channelId === row.id) ?? [],
  lastError: figures?.failures.find((failure) => failure.channelId === row.id)?.cause,
})

/** Without failures that have not led to a penalty. */
export const penalties = <Row extends HealthRow>(rows: readonly Row[]): Row[] => rows.filter(({ state }) => state !== 'closed')

type Resting = ChannelRow & { rests: readonly HealthRow[] }

const shapes: Record<ChannelState, Shape> = { healthy: 'ok', degraded: 'warn', open: 'bad', off: 'off' }

/** The state as a shape and a word. */
export function ChannelStatus(props: { row: Resting }) {
  const state = () => channelState(props.row, props.row.rests)
  return <Status shape={shapes[state()]}>{t(state())}</Status>
}

/** The last failure of a channel that does not rest; for resting ones the cause is shown below. */
function LastError(props: { row: ChannelWithFigures }) {
  return (
    <Show when={props.row.rests.length === 0 && props.row.enabled && props.row.lastError}>
      {(cause) => (
        <small class="ml-auto max-w-[176px] truncate" title={t('lastErrorIs', { cause: causeText(cause()) })}>
          {causeText(cause())}
        </small>
      )}
    </Show>
  )
}

/** The share of answered attempts in the last hour, with a link to the failures by key and model. */
function Answered(props: { row: ChannelWithFigures }) {
  const total = () => sumOf(props.row.slices)
  const share = () => 1 - total().failed / total().requests
  const text = () => formatPercent(share(), share() === 1 ? 0 : 1)
  return (
    <Show when={total().requests > 0} fallback={<span class="na">–</span>}>
      <Show when={total().failed > 0} fallback={text()}>
        <a href={`/admin/channels/${encodeURIComponent(props.row.id)}`} title={t('seeFailed')}>
          {text()}
        </a>
      </Show>
    </Show>
  )
}

interface Parts {
  onTurn(row: ChannelRow, enabled: boolean): void
  onPriority(row: ChannelRow, priority: number): void
  onReset(row: ChannelRow): void
  onRemove(row: ChannelRow): void
}

/** The columns of the list of channels. */
export function channelColumns({ onTurn, onPriority, onReset, onRemove }: Parts): Column<ChannelWithFigures>[] {
  return [
    {
      id: 'name',
      label: t('channel'),
      card: 'title',
      sorts: true,
      cell: (row) => (
        <span class="flex items-center gap-3">
          <Monogram name={row.name} />
          <span class="min-w-0">
            <ShortName name={row.name} href={`/admin/channels/${encodeURIComponent(row.id)}`} />
            <small>
              {vendorCard(row.vendor)?.title ?? row.vendor} · {row.speaks.join(', ')}
            </small>
          </span>
        </span>
      ),
    },
    { id: 'status', label: t('status'), card: 'under', cell: (row) => <ChannelStatus row={row} /> },
    {
      id: 'groups',
      label: t('groups'),
      wide: true,
      card: 'none',
      cell: (row) => <Badges names={row.groups} />,
    },
    { id: 'models', label: t('models'), right: true, roomy: true, card: 'none', cell: (row) => row.models.length },
    {
      id: 'priority',
      label: t('priority'),
      right: true,
      wide: true,
      card: 'none',
      sorts: true,
      cell: (row) => (
        <Show when={row.managed === 'console'} fallback={row.priority}>
          <PriorityField row={row} onChange={(priority) => onPriority(row, priority)} />
        </Show>
      ),
    },
    {
      id: 'hour',
      label: t('lastHour'),
      right: true,
      card: 'whole',
      cell: (row) => (
        <>
          <span class="inline-flex items-center gap-2.5 max-[759px]:flex max-[759px]:justify-between">
            <Slices slices={row.slices} />
            <span class="min-w-[52px]">
              <Answered row={row} />
            </span>
          </span>
          <LastError row={row} />
        </>
      ),
    },
    {
      id: 'firstToken',
      label: t('firstToken'),
      right: true,
      wide: true,
      card: 'none',
      cell: (row) => (
        <Show when={row.hour?.latency.firstToken} fallback={<span class="na">–</span>}>
          {(times) => `${formatDuration(times().p50)} / ${formatDuration(times().p95)}`}
        </Show>
      ),
    },
    {
      id: 'keys',
      label: t('keys'),
      right: true,
      wide: true,
      roomy: true,
      card: 'none',
      cell: (row) => (row.keys.length === 0 ? <span class="na">{ts('none')}</span> : row.keys.length),
    },
    {
      id: 'on',
      label: t('on'),
      card: 'figure',
      cell: (row) => (
        <Show when={row.managed === 'console'} fallback={<FileBadge builtIn={isDemo(row)} />}>
          <Toggle label={t('switchLabel', { name: row.name })} on={row.enabled} onChange={(on) => onTurn(row, on)} />
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
            { kind: 'item', icon: 'redo', label: t('resetAll'), onSelect: () => onReset(row) },
            ...(row.managed === 'console'
              ? [{ kind: 'item' as const, icon: 'trash' as const, bad: true, label: t('remove'), onSelect: () => onRemove(row) }]
              : []),
          ]}
        />
      ),
    },
  ]
}
