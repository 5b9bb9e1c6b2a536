/** The user’s replays, newest first and live; with requests in the URL, the form of a new one. */
import { Show } from 'solid-js'
import { onChange } from '#client/api/events.ts'
import { Loaded } from '#client/console/lists/loaded.tsx'
import { createPages } from '#client/console/load.ts'
import { Page } from '#client/ui/console/page.tsx'
import { Empty } from '#client/ui/console/states.tsx'
import { Status } from '#client/ui/console/status.tsx'
import { type Column, DataTable } from '#client/ui/console/table.tsx'
import { formatExactly, formatWhen } from '#client/ui/console/time.ts'
import { useUrlState } from '#client/ui/console/url-state.ts'
import { formatMoney } from '#client/ui/format.ts'
import type { ReplayRow } from '#shared/console/replay'
import { t } from './messages.ts'
import { StartForm } from './start-form.tsx'
import { progressOf, targetText } from './target-text.ts'
import './replays.css'

const columns = (): Column<ReplayRow>[] => [
  {
    id: 'targets',
    label: t('targets'),
    card: 'title',
    cell: (row) => <a href={`/replay/${row.id}`}>{row.targets.map(targetText).join('; ')}</a>,
  },
  {
    id: 'at',
    label: t('when'),
    cell: (row) => (
      <span class="num text-ink-2" title={formatExactly(row.at)}>
        {formatWhen(row.at)}
      </span>
    ),
  },
  { id: 'state', label: t('state'), cell: (row) => <JobState row={row} /> },
  { id: 'requests', label: t('requests'), right: true, cell: (row) => <span class="num">{row.requests}</span> },
  {
    id: 'progress',
    label: t('progress'),
    right: true,
    cell: (row) => <span class="num">{t('progressOf', { done: progressOf(row).over, all: progressOf(row).all })}</span>,
  },
  {
    id: 'failed',
    label: t('failures'),
    right: true,
    wide: true,
    cell: (row) => <span class="num">{row.items.failed + row.items.interrupted}</span>,
  },
  { id: 'charged', label: t('charged'), right: true, card: 'figure', cell: (row) => <span class="num">{formatMoney(row.charged)}</span> },
]

/** `/replay`, also found at `/admin/replay`. */
export function ReplaysPage() {
  const url = useUrlState()
  const asked = () => [
    ...new Set(
      url
        .get('requests')
        .split(',')
        .filter((id) => id !== ''),
    ),
  ]
  const pages = createPages<ReplayRow>(() => '/api/replays?limit=50')
  onChange(['replays'], () => void pages.reload())
  return (
    <Page title={t('title')}>
      <p class="mb-4 max-w-[560px] text-[13px] text-ink-2">{t('intro')}</p>
      <Show when={asked().length > 0 && asked()} keyed>
        {(ids) => (
          <div class="mb-4">
            <StartForm ids={ids} onCancel={() => url.set({ requests: '' })} />
          </div>
        )}
      </Show>
      <Loaded of={pages}>
        <DataTable
          label={t('title')}
          columns={columns()}
          rows={pages.value()}
          rowId={(row) => row.id}
          stale={pages.loading()}
          empty={
            <Empty
              title={t('empty')}
              action={
                <a class="btn primary" href="/requests">
                  {t('emptyGo')}
                </a>
              }
            >
              {t('emptyWhy')}
            </Empty>
          }
          more={pages.more()}
        />
      </Loaded>
    </Page>
  )
}

/** The state of a job. */
export function JobState(props: { row: ReplayRow }) {
  const shape = () => (props.row.state === 'running' ? 'live' : props.row.state === 'done' ? 'ok' : 'warn')
  return <Status shape={shape()}>{props.row.stopping ? t('stopping') : t(`state_${props.row.state}`)}</Status>
}
