/** Batches, newest first and live, with their progress and a way to stop them. */
import { Show } from 'solid-js'
import { Page } from '#client/ui/console/page.tsx'
import { Empty } from '#client/ui/console/states.tsx'
import { type Shape, Status } from '#client/ui/console/status.tsx'
import { LinkTabs } from '#client/ui/console/tabs.tsx'
import { formatExactly, formatWhen } from '#client/ui/console/time.ts'
import { useUrlState } from '#client/ui/console/url-state.ts'
import type { BatchRow } from '#shared/batch'
import { t } from './messages.ts'
import { Begun, Owner, StoppableList } from './stoppable-list.tsx'
import { WorkList } from './work-list.tsx'

const shapes: Record<BatchRow['state'], Shape> = { running: 'live', stopping: 'warn', ended: 'off' }
const doneOf = ({ succeeded, failed, cancelled, expired }: BatchRow) => succeeded + failed + cancelled + expired

/** `/batches`: batches, or with `?tab=work` other long-running work. */
export function BatchesPage() {
  const url = useUrlState()
  const tab = () => (url.get('tab') === 'work' ? 'work' : 'batches')
  const tabs = () => (
    <LinkTabs
      label={t('title')}
      current={tab()}
      tabs={[
        { id: 'batches', label: t('title') },
        { id: 'work', label: t('work') },
      ]}
      href={(id) => (id === 'work' ? '/batches?tab=work' : '/batches')}
    />
  )
  return (
    <Page title={t('title')} tabs={tabs()}>
      <Show when={tab() === 'work'} fallback={<BatchList />}>
        <WorkList />
      </Show>
    </Page>
  )
}

function BatchList() {
  return (
    <StoppableList<BatchRow>
      path="/api/batches"
      label={t('title')}
      intro={t('intro')}
      columns={[
        {
          id: 'batch',
          label: t('batch'),
          card: 'title',
          cell: (row) => (
            <>
              <b>{row.model ?? row.endpoint}</b>
              <small class="mono wrap-anywhere">{row.id}</small>
            </>
          ),
        },
        { id: 'who', label: t('who'), cell: (row) => <Owner row={row} /> },
        { id: 'state', label: t('state'), cell: (row) => <Status shape={shapes[row.state]}>{t(`state_${row.state}`)}</Status> },
        { id: 'progress', label: t('progress'), card: 'whole', cell: (row) => <Progress row={row} /> },
        {
          id: 'begun',
          label: t('begun'),
          card: 'figure',
          cell: (row) => (
            <>
              <Begun row={row} />
              <Show when={row.endedAt === null}>
                <small title={formatExactly(row.endsAt)}>{t('ends', { when: formatWhen(row.endsAt, true) })}</small>
              </Show>
            </>
          ),
        },
      ]}
      stop={(row) =>
        row.state === 'running'
          ? {
              button: t('stop'),
              label: t('stopOf', { id: row.id }),
              title: t('stopTitle'),
              why: t('stopWhy', { count: row.total - doneOf(row) }),
              done: t('stopped'),
            }
          : undefined
      }
      empty={
        <Empty
          title={t('empty')}
          action={
            <a class="btn" href="/docs?page=batches">
              {t('howTo')}
            </a>
          }
        >
          {t('emptyWhy')}
        </Empty>
      }
    />
  )
}

function Progress(props: { row: BatchRow }) {
  const done = () => doneOf(props.row)
  const notSent = () => props.row.cancelled + props.row.expired
  return (
    <>
      <span class="num">{t('done', { done: done(), total: props.row.total })}</span>
      <Show when={props.row.failed > 0}>
        <span class="ml-2 text-bad">{t('failed', { count: props.row.failed })}</span>
      </Show>
      <Show when={notSent() > 0}>
        <span class="ml-2 text-ink-2">{t('left', { count: notSent() })}</span>
      </Show>
      <span
        class="bar mt-1 block"
        role="progressbar"
        aria-label={t('progressOf', { id: props.row.id, done: done(), total: props.row.total })}
        aria-valuemin="0"
        aria-valuemax={props.row.total}
        aria-valuenow={done()}
      >
        <i style={{ '--share': String(done() / Math.max(props.row.total, 1)) }} />
      </span>
    </>
  )
}
