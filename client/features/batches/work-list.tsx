import { createSignal, Show } from 'solid-js'
import { onChange } from '#client/api/events.ts'
import { callApi } from '#client/api/http.ts'
import { useSession } from '#client/api/session.ts'
import { Loaded } from '#client/console/lists/loaded.tsx'
import { createPages } from '#client/console/load.ts'
import { createWrite } from '#client/console/write.ts'
import { Button } from '#client/ui/button.tsx'
import { Empty, Refusal } from '#client/ui/console/states.tsx'
import { type Shape, Status } from '#client/ui/console/status.tsx'
import { DataTable } from '#client/ui/console/table.tsx'
import { formatExactly, formatWhen } from '#client/ui/console/time.ts'
import { Confirm } from '#client/ui/dialog.tsx'
import { formatMoney } from '#client/ui/format.ts'
import { showToast } from '#client/ui/toast.tsx'
import type { WorkRow } from '#shared/console/work'
import { t } from './messages.ts'

const shapes: Record<WorkRow['state'], Shape> = {
  queued: 'off',
  in_progress: 'live',
  stopping: 'warn',
  completed: 'ok',
  failed: 'bad',
  cancelled: 'off',
}

const titles = { answer: 'workStopTitle', call: 'hangUpTitle', interaction: 'stopWorkTitle', video: 'stopWorkTitle' } as const

/** Videos, calls, background answers and interactions, live, with their progress and a way to stop them. */
export function WorkList() {
  const { admin } = useSession()
  const pages = createPages<WorkRow>(() => '/api/work?limit=50')
  onChange(['requests'], () => void pages.reload())
  const write = createWrite()
  const [stopping, setStopping] = createSignal<WorkRow>()
  const stop = async ({ id, kind }: WorkRow) => {
    setStopping(undefined)
    if (await write.run(() => callApi('POST', `/api/work/${encodeURIComponent(id)}/stop`)))
      showToast(t(kind === 'answer' ? 'workStopped' : 'otherStopped'))
    void pages.reload()
  }
  return (
    <>
      <p class="mb-4 max-w-[72ch] text-[13px] text-ink-2">{t('workIntro')}</p>
      <Refusal of={write} class="mb-4" />
      <Loaded of={pages}>
        <DataTable
          label={t('work')}
          rows={pages.value()}
          rowId={(row) => row.id}
          columns={[
            {
              id: 'what',
              label: t('what'),
              card: 'title',
              cell: (row) => (
                <>
                  <b>{t(`kind_${row.kind}`)}</b> {row.model}
                  <small class="mono wrap-anywhere">
                    <Show when={row.endedAt !== null && row.requestId} fallback={row.id}>
                      {(request) => <a href={`/requests/${encodeURIComponent(request())}`}>{row.id}</a>}
                    </Show>
                  </small>
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
            { id: 'state', label: t('state'), cell: (row) => <Status shape={shapes[row.state]}>{t(`work_${row.state}`)}</Status> },
            {
              id: 'progress',
              label: t('progress'),
              card: 'whole',
              cell: (row) => (
                <Show when={row.progress ?? undefined} fallback={<span class="na">–</span>}>
                  {(share) => (
                    <span
                      class="bar mt-1 block"
                      role="progressbar"
                      aria-label={t('percentOf', { id: row.id, percent: share() })}
                      aria-valuemin="0"
                      aria-valuemax="100"
                      aria-valuenow={share()}
                    >
                      <i style={{ '--share': String(share() / 100) }} />
                    </span>
                  )}
                </Show>
              ),
            },
            {
              id: 'spent',
              label: t('spent'),
              card: 'figure',
              cell: (row) => (
                <Show when={row.spent} fallback={<span class="na">–</span>}>
                  {(spent) => <span class="num">{formatMoney(spent())}</span>}
                </Show>
              ),
            },
            {
              id: 'begun',
              label: t('begun'),
              card: 'figure',
              cell: (row) => (
                <span class="num text-ink-2" title={formatExactly(row.createdAt)}>
                  {formatWhen(row.createdAt)}
                </span>
              ),
            },
            {
              id: 'actions',
              label: t('actions'),
              bare: true,
              right: true,
              card: 'whole',
              cell: (row) => (
                <Show when={row.canStop}>
                  <Button
                    size="sm"
                    aria-label={t(row.kind === 'call' ? 'hangUpOf' : 'stopOf', { id: row.id })}
                    busy={write.busy()}
                    onClick={() => setStopping(row)}
                  >
                    {t(row.kind === 'call' ? 'hangUp' : 'stop')}
                  </Button>
                </Show>
              ),
            },
          ]}
          empty={<Empty title={t('workEmpty')}>{t('workEmptyWhy')}</Empty>}
          foot={t('shown', { count: pages.value()?.length ?? 0 })}
          footEnd={t('kept')}
          more={pages.more()}
        />
      </Loaded>
      <Show when={stopping()}>
        {(row) => (
          <Confirm
            title={t(titles[row().kind])}
            intro={t(row().kind === 'answer' ? 'workStopWhy' : 'stopWorkWhy')}
            safe={t('cancel')}
            go={t(row().kind === 'call' ? 'hangUp' : 'stop')}
            onGo={() => void stop(row())}
            onClose={() => setStopping(undefined)}
          />
        )}
      </Show>
    </>
  )
}
