import { Show } from 'solid-js'
import { Empty } from '#client/ui/console/states.tsx'
import { type Shape, Status } from '#client/ui/console/status.tsx'
import { formatMoney } from '#client/ui/format.ts'
import type { WorkRow } from '#shared/console/work'
import { t } from './messages.ts'
import { Begun, Owner, StoppableList, type StopTexts } from './stoppable-list.tsx'

const shapes: Record<WorkRow['state'], Shape> = {
  queued: 'off',
  in_progress: 'live',
  stopping: 'warn',
  completed: 'ok',
  failed: 'bad',
  cancelled: 'off',
}

const titles = { answer: 'workStopTitle', call: 'hangUpTitle', interaction: 'stopWorkTitle', video: 'stopWorkTitle' } as const

/** Videos, calls, background answers and interactions, with their progress. */
export function WorkList() {
  return (
    <StoppableList<WorkRow>
      path="/api/work"
      label={t('work')}
      intro={t('workIntro')}
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
        { id: 'who', label: t('who'), cell: (row) => <Owner row={row} /> },
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
        { id: 'begun', label: t('begun'), card: 'figure', cell: (row) => <Begun row={row} /> },
      ]}
      stop={(row) => (row.canStop ? textsFor(row) : undefined)}
      empty={<Empty title={t('workEmpty')}>{t('workEmptyWhy')}</Empty>}
    />
  )
}

const textsFor = ({ id, kind }: WorkRow): StopTexts => ({
  button: t(kind === 'call' ? 'hangUp' : 'stop'),
  label: t(kind === 'call' ? 'hangUpOf' : 'stopOf', { id }),
  title: t(titles[kind]),
  why: t(kind === 'answer' ? 'workStopWhy' : 'stopWorkWhy'),
  done: t(kind === 'answer' ? 'workStopped' : 'otherStopped'),
})
