/** Today at a glance: figures against last week, what needs attention, top models and keys. Read again when something changes, and every minute. */
import { createMemo, For, onCleanup, Show } from 'solid-js'
import { onChange } from '#client/api/events.ts'
import { callApi } from '#client/api/http.ts'
import { useSession } from '#client/api/session.ts'
import { detailOf, explain } from '#client/console/explain.ts'
import { createLoad } from '#client/console/load.ts'
import { Chart, Spark } from '#client/ui/chart/chart.tsx'
import { Meter } from '#client/ui/console/meter.tsx'
import { Card, Page } from '#client/ui/console/page.tsx'
import { Failure, Skeleton } from '#client/ui/console/states.tsx'
import { type Stat, Stats } from '#client/ui/console/stats.tsx'
import { DataTable } from '#client/ui/console/table.tsx'
import { formatDuration, formatWhen, timeZone } from '#client/ui/console/time.ts'
import { formatChange, formatCount, formatMoney, formatPercent } from '#client/ui/format.ts'
import { language } from '#client/ui/language.ts'
import type { Overview } from '#shared/console/overview'
import type { UsageReportRow } from '#shared/console/usage'
import { lineOf } from './attention.ts'
import { byHour, largest, stacked } from './figures.ts'
import { FirstSteps } from './first-steps.tsx'
import { t } from './messages.ts'

/** Milliseconds between two readings at most, for what no event tells: the hour, a rest that is over. */
const everyMs = 60_000
/** Milliseconds between two readings at least: under load something changes all the time. */
const leastMs = 2_000

/** `/overview` */
export function OverviewPage() {
  const { admin } = useSession()
  const figures = createLoad(
    () => `/api/overview?timezone=${encodeURIComponent(timeZone())}`,
    (path, signal) => callApi<Overview>('GET', path, undefined, signal),
  )
  let readAt = 0
  let later: ReturnType<typeof setTimeout> | undefined
  const reload = () => {
    clearTimeout(later)
    later = setTimeout(
      () => {
        readAt = performance.now()
        if (!document.hidden) void figures.reload()
      },
      readAt + leastMs - performance.now(),
    )
  }
  onChange(['requests', 'keys', 'users', 'groups', 'channels', 'prices', 'account'], reload)
  const timer = setInterval(reload, everyMs)
  onCleanup(() => {
    clearInterval(timer)
    clearTimeout(later)
  })
  const concerns = createMemo(() => (figures.value()?.attention ?? []).map(lineOf))
  const error = () => (figures.value() === undefined ? figures.error() : undefined)
  return (
    <Page title={t('title')} facts={figures.value() && t('facts', { zone: timeZone(), time: formatWhen(figures.value()?.at ?? '', true) })}>
      <Show
        when={figures.value()}
        fallback={
          <Show when={error()} fallback={<Skeleton lines={10} />}>
            {(failed) => <Failure text={explain(failed())} detail={detailOf(failed())} onRetry={() => void figures.reload()} />}
          </Show>
        }
      >
        {(known) => (
          <div class="stack">
            <FirstSteps first={known().first} />
            <Strip figures={known()} admin={admin()} />
            <div class="cols wide-left">
              <div class="stack">
                <Card title={t('attention')} bare tools={<span class="bdg num">{concerns().length}</span>}>
                  <ul>
                    <For each={concerns()} fallback={<li class="px-4 pb-4 text-[13px] text-ink-2">{t('allWell')}</li>}>
                      {(concern) => (
                        <li class="list-line">
                          <span class={`shape ${concern.shape}`} aria-hidden="true" />
                          <span class="min-w-0 flex-1">
                            <b>{concern.title}</b>
                            <small>{concern.why}</small>
                          </span>
                          <a class="btn" href={concern.href}>
                            {concern.action}
                          </a>
                        </li>
                      )}
                    </For>
                  </ul>
                </Card>
                <Hours figures={known()} />
              </div>
              <div class="stack">
                <Top
                  title={t('topModels')}
                  label={t('model')}
                  rows={known().models}
                  name={(row) => row.model ?? ''}
                  figures={known()}
                  coloured
                />
                <Top
                  title={t('topKeys')}
                  label={t('key')}
                  rows={known().keys}
                  name={(row) => row.key?.name ?? t('playground')}
                  figures={known()}
                />
              </div>
            </div>
          </div>
        )}
      </Show>
    </Page>
  )
}

function Strip(props: { figures: Overview; admin: boolean }) {
  const start = () => Date.parse(props.figures.steps[0] ?? '')
  const day = () => new Date().toLocaleDateString(language() === 'zh' ? 'zh-CN' : 'en-GB', { weekday: 'long' })
  const spark = (label: string, value: (row: UsageReportRow) => number) => (
    <Spark
      label={label}
      count={24}
      values={byHour(props.figures.hours, start(), props.figures.steps.length, value)}
      before={byHour(props.figures.hoursBefore, start() - 7 * 86_400_000, 24, value)}
    />
  )
  const change = (now: number, before: number) => {
    if (before === 0) return ''
    return t('onWeek', { change: formatChange(now / before - 1), day: day() })
  }
  const errors = (of: { requests: number; errors: number } | undefined) => (of && of.requests > 0 ? of.errors / of.requests : 0)
  const stats = (): Stat[] => {
    const { now, before } = props.figures
    const first = now?.latency.firstToken
    return [
      {
        label: t('spend'),
        value: <span title={`$${now?.charged ?? '0'}`}>{formatMoney(now?.charged ?? '0')}</span>,
        note: change(Number(now?.charged ?? 0), Number(before?.charged ?? 0)),
        below: spark(t('spend'), (row) => Number(row.charged)),
      },
      {
        label: t('requests'),
        value: formatCount(now?.requests ?? 0),
        note: change(now?.requests ?? 0, before?.requests ?? 0),
        below: spark(t('requests'), (row) => row.requests),
      },
      {
        label: t('errors'),
        value: (
          <a class="text-ink hover:text-accent" href="/requests?failed=true">
            {formatPercent(errors(now))}
          </a>
        ),
        note: before && before.requests > 0 ? `${t('weekAgo', { day: day() })} ${formatPercent(errors(before))}` : '',
        below: spark(t('errors'), errors),
      },
      {
        label: t('firstToken'),
        value: first ? formatDuration(first.p50) : '–',
        note: first ? t('p95', { time: formatDuration(first.p95) }) : '',
        below: spark(t('firstToken'), (row) => row.latency.firstToken?.p50 ?? 0),
      },
      ...(props.admin && now?.margin
        ? [
            {
              label: t('margin'),
              value: formatMoney(now.margin),
              note: t('ofSpend', { share: formatPercent(Number(now.margin) / Math.max(Number(now.charged), 1e-9)) }),
              below: spark(t('margin'), (row) => Number(row.margin ?? 0)),
            },
          ]
        : []),
    ]
  }
  return <Stats label={t('today')} stats={stats()} />
}

function Hours(props: { figures: Overview }) {
  const plot = createMemo(() => ({
    kind: 'stack' as const,
    labels: props.figures.steps.map((step) => formatWhen(step).slice(0, 2)),
    series: stacked(props.figures, t('others')),
    format: (value: number) => formatMoney(value.toFixed(9)),
    openEnd: true,
  }))
  return (
    <Card title={t('byHour')}>
      <Chart label={t('chart', { amount: formatMoney(props.figures.now?.charged ?? '0') })} plot={plot()} />
      <p class="text-[13px] text-ink-2">
        {t('hatched')}{' '}
        <a class="underline" href="/usage?days=1">
          {t('asTable')}
        </a>
      </p>
    </Card>
  )
}

function Top(props: {
  title: string
  label: string
  rows: readonly UsageReportRow[]
  name(row: UsageReportRow): string
  figures: Overview
  /** Whether each has its colour of the chart. */
  coloured?: boolean
}) {
  const rows = () => largest(props.rows)
  const share = (row: UsageReportRow) => Number(row.charged) / Math.max(Number(props.figures.now?.charged ?? 0), 1e-9)
  return (
    <Show when={rows().length > 0}>
      <Card title={props.title} bare>
        <DataTable
          label={props.title}
          rows={rows()}
          rowId={props.name}
          columns={[
            {
              id: 'name',
              label: props.label,
              card: 'title',
              cell: (row) => (
                <>
                  <Show when={props.coloured}>
                    <span class={`swatch s${rows().indexOf(row)}`} aria-hidden="true" />
                  </Show>
                  <b>{props.name(row)}</b>
                </>
              ),
            },
            {
              id: 'share',
              label: t('share'),
              right: true,
              card: 'none',
              cell: (row) => (
                <span class="inline-flex items-center gap-2">
                  <span class="w-14">
                    <Meter share={Math.min(share(row), 0.79)} label={`${t('share')} ${formatPercent(share(row))}`} />
                  </span>
                  {formatPercent(share(row))}
                </span>
              ),
            },
            { id: 'spend', label: t('spend'), right: true, card: 'figure', cell: (row) => formatMoney(row.charged) },
          ]}
        />
      </Card>
    </Show>
  )
}
