/** One replay: progress, the result of each request, totals, and both answers of the selected one. */
import { useNavigate, useParams } from '@solidjs/router'
import { createEffect, createSignal, For, on, Show } from 'solid-js'
import { onChange } from '#client/api/events.ts'
import { callApi } from '#client/api/http.ts'
import { createLoad } from '#client/console/load.ts'
import { WhenLoaded } from '#client/console/when-loaded.tsx'
import { createWrite } from '#client/console/write.ts'
import { Button } from '#client/ui/button.tsx'
import { Meter } from '#client/ui/console/meter.tsx'
import { Page } from '#client/ui/console/page.tsx'
import { Stats } from '#client/ui/console/stats.tsx'
import { type Column, DataTable } from '#client/ui/console/table.tsx'
import { formatDuration } from '#client/ui/console/time.ts'
import { useUrlState } from '#client/ui/console/url-state.ts'
import { Confirm } from '#client/ui/dialog.tsx'
import { formatMoney } from '#client/ui/format.ts'
import { showToast } from '#client/ui/toast.tsx'
import type { ReplayDetail, ReplayItemRow, ReplayTotals } from '#shared/console/replay'
import { Comparison } from './comparison.tsx'
import { JobState } from './list-page.tsx'
import { t } from './messages.ts'
import { RunAgain } from './run-again.tsx'
import { differenceText, payerOf, progressOf, shareText, targetText } from './target-text.ts'
import { type Chosen, TargetsBar } from './targets-bar.tsx'
import './replays.css'

/** `/replay/:id` */
export function ReplayPage() {
  const params = useParams<{ id: string }>()
  const path = () => `/api/replays/${encodeURIComponent(params.id)}`
  const job = createLoad(path, (asked, signal) => callApi<ReplayDetail>('GET', asked, undefined, signal))
  /** The changes for the next run; undefined for none. */
  const [changed, setChanged] = createSignal<Chosen>()
  createEffect(on(path, () => setChanged(undefined), { defer: true }))
  const chosenOf = ({ targets, team }: ReplayDetail): Chosen => changed() ?? { targets, team: team?.id }
  onChange(['replays'], () => void (job.value()?.state !== 'done' && job.reload()))
  return (
    <Page
      title={params.id}
      above={[{ label: t('title'), href: '/replay' }]}
      actions={
        <Show when={job.value()}>{(row) => <Actions job={row()} chosen={chosenOf(row())} onChanged={() => void job.reload()} />}</Show>
      }
    >
      <WhenLoaded of={job} missing={{ title: t('notFound'), why: t('notFoundWhy'), href: '/replay', toList: t('toList') }}>
        {(row) => (
          <>
            <Show when={row().state !== 'running'}>
              <TargetsBar value={chosenOf(row())} onChange={setChanged} />
            </Show>
            <Job job={row()} />
          </>
        )}
      </WhenLoaded>
    </Page>
  )
}

function Actions(props: { job: ReplayDetail; chosen: Chosen; onChanged(): void }) {
  const navigate = useNavigate()
  const write = createWrite()
  const [asking, setAsking] = createSignal(false)
  const stop = () =>
    void write.run(async () => {
      await callApi('POST', `/api/replays/${props.job.id}/stop`)
      props.onChanged()
    })
  const remove = () => {
    setAsking(false)
    void write.run(async () => {
      await callApi('DELETE', `/api/replays/${props.job.id}`)
      showToast(t('removed'))
      navigate('/replay')
    })
  }
  return (
    <Show
      when={props.job.state === 'running'}
      fallback={
        <span class="flex gap-2">
          <Button look="bad ghost" busy={write.busy()} onClick={() => setAsking(true)}>
            {t('remove')}
          </Button>
          <RunAgain job={props.job} chosen={props.chosen} />
          <Show when={asking()}>
            <Confirm
              title={t('removeTitle')}
              intro={t('removeWhy')}
              safe={t('cancel')}
              go={t('removeGo')}
              onGo={remove}
              onClose={() => setAsking(false)}
            />
          </Show>
        </span>
      }
    >
      <Button icon="stop" busy={write.busy() || props.job.stopping} onClick={() => !props.job.stopping && stop()}>
        {t('stop')}
      </Button>
    </Show>
  )
}

function Job(props: { job: ReplayDetail }) {
  const url = useUrlState()
  const progress = () => progressOf(props.job)
  /** The request whose answers are compared: the selected one, or the only one. */
  const chosen = () =>
    (props.job.results.find(({ n }) => String(n) === url.get('item')) ?? (props.job.requests === 1 ? props.job.results[0] : undefined))
      ?.requestId
  const file = (format: string) => `/api/replays/${encodeURIComponent(props.job.id)}/export?format=${format}`
  return (
    <>
      <h2 class="sr-only">{t('results')}</h2>
      <Stats
        label={t('progress')}
        stats={[
          { label: t('state'), value: <JobState row={props.job} /> },
          {
            label: t('progress'),
            value: t('progressOf', { done: progress().over, all: progress().all }),
            below: <Meter share={progress().all === 0 ? 0 : progress().over / progress().all} label={t('progress')} plain />,
          },
          { label: t('failures'), value: props.job.items.failed + props.job.items.interrupted },
          { label: t('charged'), value: formatMoney(props.job.charged), note: t('chargedTo', { payer: payerOf(props.job) }) },
          { label: t('expected'), value: formatMoney(props.job.expected), note: `${t('ceiling')} ${formatMoney(props.job.ceiling)}` },
        ]}
      />
      <div class="mt-4 grid gap-4">
        <Show when={props.job.results.length > 1}>
          <Sums job={props.job} />
        </Show>
        <DataTable
          label={t('results')}
          columns={columns(props.job, (item) => `/replay/${props.job.id}?item=${item.n}`)}
          rows={props.job.results}
          rowId={({ n }) => String(n)}
          selected={url.get('item')}
          below={(item) => (item.error ? <span class="text-ink-2">{item.error.message}</span> : undefined)}
          foot={
            <span class="flex gap-4">
              <a href={file('csv')} download={`${props.job.id}.csv`}>
                {t('asCsv')}
              </a>
              <a href={file('jsonl')} download={`${props.job.id}.jsonl`}>
                {t('asJsonl')}
              </a>
            </span>
          }
        />
        <Show when={chosen()} keyed>
          {(id) => <Comparison job={props.job} items={props.job.results.filter(({ requestId }) => requestId === id)} />}
        </Show>
      </div>
    </>
  )
}

/** A figure and how it differs from the original’s. */
function Against(props: { text: string | undefined; now: number | undefined; before: number | undefined }) {
  return (
    <Show when={props.text} fallback={<None />}>
      <span>
        <span class="num">{props.text}</span>{' '}
        <span class="num text-ink-3">
          {props.now === undefined || props.before === undefined ? '' : shareText(props.now, props.before)}
        </span>
      </span>
    </Show>
  )
}

/** Whether an item can be compared with its original: the low time and cost of failed ones mean nothing. */
const answered = ({ state }: ReplayItemRow) => state === 'done'

/** The distinctive end of an id: ids begin with the time. */
const endOf = (requestId: string) => `…${requestId.slice(-10)}`

const None = () => <span class="na">–</span>

function columns(job: ReplayDetail, href: (item: ReplayItemRow) => string): Column<ReplayItemRow>[] {
  return [
    {
      id: 'request',
      label: t('request'),
      card: 'title',
      cell: (item) => (
        <a class="mono" href={href(item)}>
          {endOf(item.requestId)}
        </a>
      ),
    },
    { id: 'target', label: t('targets'), cell: (item) => targetText(job.targets[item.target] ?? {}) },
    {
      id: 'state',
      label: t('state'),
      cell: (item) => (item.error && item.state !== 'done' ? <code class="tiny">{item.error.code}</code> : t(`item_${item.state}`)),
    },
    { id: 'text', label: t('text'), cell: (item) => differenceText(item) ?? <None /> },
    { id: 'calls', label: t('calls'), wide: true, cell: (item) => (item.difference ? t(item.difference.calls) : <None />) },
    { id: 'finish', label: t('finish'), wide: true, cell: (item) => item.result?.answer?.finish ?? <None /> },
    {
      id: 'tokens',
      label: t('tokens'),
      right: true,
      wide: true,
      cell: ({ result }) => (result?.tokensIn === undefined ? <None /> : `${result.tokensIn} / ${result.tokensOut ?? 0}`),
    },
    {
      id: 'time',
      label: t('time'),
      right: true,
      cell: (item) => (
        <Against
          text={item.result ? formatDuration(item.result.totalMs) : undefined}
          now={item.result?.totalMs}
          before={answered(item) ? item.original?.totalMs : undefined}
        />
      ),
    },
    {
      id: 'cost',
      label: t('cost'),
      right: true,
      card: 'figure',
      cell: (item) => (
        <Against
          text={item.result ? formatMoney(item.result.charged) : undefined}
          now={item.result ? Number(item.result.charged) : undefined}
          before={answered(item) && item.original ? Number(item.original.charged) : undefined}
        />
      ),
    },
  ]
}

/** The totals of one target, each figure with its difference from the originals. */
function sumText(sum: ReplayTotals): string {
  if (sum.done === 0) return t('noneAnswered')
  const cost = [formatMoney(sum.charged), shareText(Number(sum.charged), Number(sum.originalCharged))]
  const time = [formatDuration(sum.totalMs), shareText(sum.totalMs, sum.originalMs)]
  const figures = [cost, time].map((pair) => pair.filter(Boolean).join(' ')).join(', ')
  const same = (count: number) => t('sameOf', { same: count, done: sum.done })
  return [figures, `${t('text')}: ${same(sum.sameText)}`, `${t('calls')}: ${same(sum.sameCalls)}`].join('; ')
}

function Sums(props: { job: ReplayDetail }) {
  return (
    <ul class="grid gap-1 text-[13px]" aria-label={t('sums')}>
      <For each={props.job.totals}>
        {(sum) => (
          <li class="num">
            <b class="font-medium">{targetText(props.job.targets[sum.target] ?? {})}</b>: {sumText(sum)}
          </li>
        )}
      </For>
    </ul>
  )
}
