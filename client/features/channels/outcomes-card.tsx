import { Show } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { explain } from '#client/console/explain.ts'
import { createLoad, queryOf } from '#client/console/load.ts'
import { Card } from '#client/ui/console/page.tsx'
import { Failure } from '#client/ui/console/states.tsx'
import { Status } from '#client/ui/console/status.tsx'
import { DataTable } from '#client/ui/console/table.tsx'
import { formatCount, formatPercent } from '#client/ui/format.ts'
import type { ChannelOutcomes, ChannelRow, HealthRow } from '#shared/console/channel'
import { Slices } from './beside/slices.tsx'
import { t } from './messages.ts'
import { type OutcomeLine, outcomeLines } from './outcomes.ts'

/** Outcomes of each key and model in the last hour, and whether it rests. */
export function OutcomesCard(props: { row: ChannelRow; rests: readonly HealthRow[] }) {
  const load = createLoad(
    () => `/api/channels/${encodeURIComponent(props.row.id)}/outcomes`,
    (path, signal) => callApi<ChannelOutcomes>('GET', path, undefined, signal),
  )
  const lines = () => {
    const found = load.value()
    return found && outcomeLines(props.row, found.data, props.rests)
  }
  return (
    <Card
      title={t('outcomes')}
      bare
      tools={
        <Show when={lines()?.some(({ failed }) => failed > 0)}>
          <a class="text-[13px]" href={`/requests?${queryOf({ channel: props.row.name, failed: 'true', range: '1h' })}`}>
            {t('failedRequests')}
          </a>
        </Show>
      }
    >
      <Show when={load.error()} fallback={<Lines lines={lines()} seconds={load.value()?.sliceSeconds ?? 0} />}>
        {(error) => (
          <div class="p-4">
            <Failure text={explain(error())} onRetry={() => void load.reload()} />
          </div>
        )}
      </Show>
    </Card>
  )
}

function Lines(props: { lines: readonly OutcomeLine[] | undefined; seconds: number }) {
  return (
    <DataTable
      label={t('outcomes')}
      rows={props.lines}
      rowId={(line) => line.id}
      rowPx={44}
      empty={<p class="px-4 pb-4 text-[13px] text-ink-2">{t('outcomesNone')}</p>}
      columns={[
        { id: 'model', label: t('model'), card: 'title', cell: (line) => <b class="mono">{line.model}</b> },
        { id: 'key', label: t('key'), cell: (line) => line.key ?? <span class="na">–</span> },
        { id: 'state', label: t('status'), card: 'figure', cell: (line) => <State line={line} /> },
        { id: 'slices', label: t('lastHour'), cell: (line) => <Slices slices={line.slices} large /> },
        {
          id: 'success',
          label: t('answeredShare'),
          right: true,
          cell: (line) => {
            const share = line.requests === 0 ? 1 : 1 - line.failed / line.requests
            return <b>{formatPercent(share, share === 1 ? 0 : 1)}</b>
          },
        },
        { id: 'attempts', label: t('attempts'), right: true, cell: (line) => formatCount(line.requests) },
        {
          id: 'failed',
          label: t('failed'),
          right: true,
          cell: (line) => (line.failed === 0 ? <span class="na">–</span> : formatCount(line.failed)),
        },
      ]}
      foot={t('outcomesFoot', { minutes: props.seconds / 60 })}
    />
  )
}

function State(props: { line: OutcomeLine }) {
  return (
    <Show when={props.line.rest} fallback={<Status shape={props.line.off ? 'off' : 'ok'}>{t(props.line.off ? 'off' : 'healthy')}</Status>}>
      {(rest) => (
        <Status shape={rest().state === 'half-open' ? 'warn' : 'bad'}>{t(rest().state === 'half-open' ? 'careful' : 'open')}</Status>
      )}
    </Show>
  )
}
