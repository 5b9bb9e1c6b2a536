import { Show } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { queryOf, readAll } from '#client/console/load.ts'
import { causeText } from '#client/console/rest-text.ts'
import { vendorCard } from '#client/console/vendors.ts'
import { tc } from '#client/ui/console/messages.ts'
import { Monogram } from '#client/ui/console/monogram.tsx'
import { Badges, FileBadge, type Shape, Status } from '#client/ui/console/status.tsx'
import type { Column } from '#client/ui/console/table.tsx'
import { formatDuration } from '#client/ui/console/time.ts'
import { formatPercent } from '#client/ui/format.ts'
import { Menu } from '#client/ui/menu.tsx'
import { Switch as Toggle } from '#client/ui/switch.tsx'
import type { ChannelHealthRow, ChannelRow, HealthRow } from '#shared/console/channel'
import { type ChannelState, channelState } from '#shared/console/channel-state'
import type { Page } from '#shared/console/model'
import type { UsageReportRow, UsageTotals } from '#shared/console/usage'
import { Slices } from './beside/slices.tsx'
import { t } from './messages.ts'
import { PriorityField } from './priority-field.tsx'

/** What requests met: the last hour by channel, and what rests now. */
export interface Figures {
  byChannel: Map<string, UsageReportRow>
  /** The last day by channel and hour, the oldest first; undefined for an hour without requests. */
  slices: Map<string, (UsageReportRow | undefined)[]>
  total: UsageTotals | undefined
  /** What rests, and what failed lately without coming to rest. */
  rests: ChannelHealthRow[]
  failures: ChannelHealthRow[]
}

/** A channel with what requests met there. */
export interface LivingChannel extends ChannelRow {
  hour: UsageReportRow | undefined
  slices: readonly (UsageReportRow | undefined)[]
  rests: ChannelHealthRow[]
  /** The error code of its last failure that is still remembered. */
  lastError: string | undefined
}

/** Reads what requests met. Throws ApiError. */
export async function readFigures(_: boolean, signal: AbortSignal): Promise<Figures> {
  const from = new Date(Date.now() - 3_600_000).toISOString()
  const hours = lastHours(Date.now())
  const [byChannel, byHour, total, ailments] = await Promise.all([
    readAll<UsageReportRow>(`/api/usage?by=channel&from=${from}`, signal),
    readAll<UsageReportRow>(`/api/usage?by=channel,hour&from=${new Date(hours[0] ?? 0).toISOString()}`, signal, 10_000),
    callApi<Page<UsageTotals>>('GET', `/api/usage?from=${from}`, undefined, signal),
    callApi<Page<ChannelHealthRow>>('GET', '/api/health?lately=true', undefined, signal),
  ])
  const slices = new Map<string, (UsageReportRow | undefined)[]>()
  for (const row of byHour) {
    const at = hours.indexOf(Date.parse(row.hour ?? ''))
    const list = slices.get(row.channel ?? '') ?? hours.map(() => undefined)
    if (at >= 0) list[at] = row
    slices.set(row.channel ?? '', list)
  }
  return {
    byChannel: new Map(byChannel.map((row) => [row.channel ?? '', row])),
    slices,
    total: total.data[0],
    rests: penalties(ailments.data),
    failures: ailments.data,
  }
}

const hourMs = 3_600_000
const noHours: readonly undefined[] = Array.from({ length: 24 }, () => undefined)
/** The beginnings of the last 24 hours with the present one, in milliseconds. */
const lastHours = (now: number): number[] => Array.from({ length: 24 }, (_, at) => (Math.floor(now / hourMs) - 23 + at) * hourMs)

/** The channel with its figures. */
export const living = (row: ChannelRow, figures: Figures | undefined): LivingChannel => ({
  ...row,
  hour: figures?.byChannel.get(row.name),
  slices: figures?.slices.get(row.name) ?? noHours,
  rests: figures?.rests.filter((rest) => rest.channelId === row.id) ?? [],
  lastError: figures?.failures.find((failure) => failure.channelId === row.id)?.cause,
})

/** Without failures that have not led to a penalty. */
export const penalties = <Row extends HealthRow>(rows: readonly Row[]): Row[] => rows.filter(({ state }) => state !== 'closed')

type Resting = ChannelRow & { rests: readonly HealthRow[] }

const shapes: Record<ChannelState, Shape> = { healthy: 'ok', degraded: 'warn', open: 'bad', off: 'off' }

/** The state as shape and word. */
export function ChannelStatus(props: { row: Resting }) {
  const state = () => channelState(props.row, props.row.rests)
  return <Status shape={shapes[state()]}>{t(state())}</Status>
}

/** The last failure of a channel that does not rest: why those that rest do stands below them. */
function LastError(props: { row: LivingChannel }) {
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

interface Parts {
  onTurn(row: ChannelRow, enabled: boolean): void
  onPriority(row: ChannelRow, priority: number): void
  onReset(row: ChannelRow): void
  onRemove(row: ChannelRow): void
}

/** The columns of the list of channels. */
export function channelColumns({ onTurn, onPriority, onReset, onRemove }: Parts): Column<LivingChannel>[] {
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
            <a href={`/admin/channels/${encodeURIComponent(row.id)}`}>{row.name}</a>
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
            <Slices slices={row.slices.map((hour) => hour && { requests: hour.requests, failed: hour.errors })} span="day" />
            <span class="min-w-[52px]">
              <Show when={row.hour} fallback={<span class="na">–</span>}>
                {(hour) => {
                  const share = () => (hour().requests === 0 ? 1 : 1 - hour().errors / hour().requests)
                  const text = () => formatPercent(share(), share() === 1 ? 0 : 2)
                  const failed = () => `/requests?${queryOf({ channel: row.name, failed: 'true', range: '1h' })}`
                  return (
                    <Show when={hour().errors > 0} fallback={text()}>
                      <a href={failed()} title={t('seeFailed')}>
                        {text()}
                      </a>
                    </Show>
                  )
                }}
              </Show>
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
      cell: (row) => (row.keys.length === 0 ? <span class="na">{t('none')}</span> : row.keys.length),
    },
    {
      id: 'on',
      label: t('on'),
      card: 'figure',
      cell: (row) => (
        <Show when={row.managed === 'console'} fallback={<FileBadge />}>
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
