/** Batches, newest first and live, with their progress and a way to stop them. */
import { createSignal, Show } from 'solid-js'
import { onChange } from '#client/api/events.ts'
import { callApi } from '#client/api/http.ts'
import { useSession } from '#client/api/session.ts'
import { Loaded } from '#client/console/lists/loaded.tsx'
import { createPages } from '#client/console/load.ts'
import { createWrite } from '#client/console/write.ts'
import { Button } from '#client/ui/button.tsx'
import { Page } from '#client/ui/console/page.tsx'
import { Empty, Refusal } from '#client/ui/console/states.tsx'
import { type Shape, Status } from '#client/ui/console/status.tsx'
import { DataTable } from '#client/ui/console/table.tsx'
import { LinkTabs } from '#client/ui/console/tabs.tsx'
import { formatExactly, formatWhen } from '#client/ui/console/time.ts'
import { useUrlState } from '#client/ui/console/url-state.ts'
import { Confirm } from '#client/ui/dialog.tsx'
import { showToast } from '#client/ui/toast.tsx'
import type { BatchRow } from '#shared/batch'
import { t } from './messages.ts'
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
  const { admin } = useSession()
  const pages = createPages<BatchRow>(() => '/api/batches?limit=50')
  onChange(['requests'], () => void pages.reload())
  const write = createWrite()
  const [stopping, setStopping] = createSignal<BatchRow>()
  const stop = async ({ id }: BatchRow) => {
    setStopping(undefined)
    if (await write.run(() => callApi('POST', `/api/batches/${encodeURIComponent(id)}/stop`))) showToast(t('stopped'))
    void pages.reload()
  }
  return (
    <>
      <p class="mb-4 max-w-[72ch] text-[13px] text-ink-2">{t('intro')}</p>
      <Refusal of={write} class="mb-4" />
      <Loaded of={pages}>
        <DataTable
          label={t('title')}
          rows={pages.value()}
          rowId={(row) => row.id}
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
            {
              id: 'who',
              label: t('who'),
              cell: (row) => (
                <div>
                  <Show when={admin() && row.user}>{(user) => <span>{user().name ?? user().id}</span>}</Show>
                  <small>{row.key ?? '–'}</small>
                </div>
              ),
            },
            { id: 'state', label: t('state'), cell: (row) => <Status shape={shapes[row.state]}>{t(`state_${row.state}`)}</Status> },
            { id: 'progress', label: t('progress'), card: 'whole', cell: (row) => <Progress row={row} /> },
            {
              id: 'begun',
              label: t('begun'),
              card: 'figure',
              cell: (row) => (
                <>
                  <span class="num text-ink-2" title={formatExactly(row.createdAt)}>
                    {formatWhen(row.createdAt)}
                  </span>
                  <Show when={row.endedAt === null}>
                    <small title={formatExactly(row.endsAt)}>{t('ends', { when: formatWhen(row.endsAt, true) })}</small>
                  </Show>
                </>
              ),
            },
            {
              id: 'actions',
              label: t('actions'),
              bare: true,
              right: true,
              card: 'whole',
              cell: (row) => (
                <Show when={row.state === 'running'}>
                  <Button size="sm" aria-label={t('stopOf', { id: row.id })} busy={write.busy()} onClick={() => setStopping(row)}>
                    {t('stop')}
                  </Button>
                </Show>
              ),
            },
          ]}
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
          foot={t('shown', { count: pages.value()?.length ?? 0 })}
          footEnd={t('kept')}
          more={pages.more()}
        />
      </Loaded>
      <Show when={stopping()}>
        {(row) => (
          <Confirm
            title={t('stopTitle')}
            intro={t('stopWhy', { count: row().total - doneOf(row()) })}
            safe={t('cancel')}
            go={t('stop')}
            onGo={() => void stop(row())}
            onClose={() => setStopping(undefined)}
          />
        )}
      </Show>
    </>
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
