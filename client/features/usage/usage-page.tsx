/** Usage and charges: a strip, two charts, and a table with the same numbers. */
import { createMemo, Show } from 'solid-js'
import { onChange } from '#client/api/events.ts'
import { useSession } from '#client/api/session.ts'
import { SpanDates } from '#client/console/lists/span-filter.tsx'
import { createLoad, queryOf } from '#client/console/load.ts'
import { createSoon } from '#client/console/soon.ts'
import { WhenLoaded } from '#client/console/when-loaded.tsx'
import { createMediaQuery } from '#client/ui/browser-state.ts'
import { Chart } from '#client/ui/chart/chart.tsx'
import { durationTicks, moneyTicks } from '#client/ui/chart/ticks.ts'
import { FilterBar, FilterChip, Segments } from '#client/ui/console/filters.tsx'
import { Card, Page } from '#client/ui/console/page.tsx'
import { Empty, NoMatch } from '#client/ui/console/states.tsx'
import { Stats } from '#client/ui/console/stats.tsx'
import { formatDay, formatDuration, hoursFrom } from '#client/ui/console/time.ts'
import { useUrlState } from '#client/ui/console/url-state.ts'
import { formatCompact, formatCount, formatMoney, formatPercent, formatPoints } from '#client/ui/format.ts'
import { Icon } from '#client/ui/icon.tsx'
import { timeZone } from '#client/ui/time-zone.ts'
import type { UsageTotals } from '#shared/console/usage'
import { changeOf, tokensIn } from './figures.ts'
import { t } from './messages.ts'
import {
  type Dimension,
  dimensions,
  isTime,
  ordered,
  paramsOf,
  type Question,
  type Report,
  readReport,
  seriesOf,
  stepOf,
} from './report.ts'
import { comparisons, daysOf, isShort, readSpan, spans } from './span.ts'
import { UsageTable } from './usage-table.tsx'

const filterNames = ['model', 'key', 'user', 'team', 'group', 'channel'] as const
/** Minimum milliseconds between two loads of a period that is not over. */
const leastMs = 10_000

/** `/usage` */
export function UsagePage() {
  const { admin } = useSession()
  const url = useUrlState()
  const span = createMemo(() => readSpan(url.get('days'), url.get('from'), url.get('to')))
  const rangeName = () => {
    const now = span()
    return typeof now === 'object' ? 'dates' : now
  }
  const comparison = () => comparisons.find((one) => one === url.get('compare')) ?? 'before'
  const choices = () =>
    dimensions
      .filter((one) => admin() || (one === 'user' ? url.get('team') !== '' : one !== 'team' && one !== 'channel'))
      .filter((one) => one !== 'hour' || isShort(span()))
  const by = (): Dimension => choices().find((one) => one === url.get('by')) ?? 'model'
  const phone = createMediaQuery('(max-width: 759px)')
  const byOptions = () => choices().map((value) => ({ value, label: t(`by_${value}`) }))
  const filters = () => Object.fromEntries(filterNames.map((name) => [name, url.get(name)]))
  const hiding = () => Object.values(filters()).filter(Boolean).join(', ')
  const question = createMemo((): Question => ({ by: by(), span: span(), comparison: comparison(), filters: filters() }), undefined, {
    equals: (a, b) => JSON.stringify(a) === JSON.stringify(b),
  })
  const report = createLoad(question, readReport)
  onChange(
    ['requests'],
    createSoon(leastMs, () => daysOf(span()).end === undefined && void report.reload()),
  )
  /** Whether the shown report is that of an earlier query. */
  const isStale = (known: Report) => report.loading() && known.question !== question()
  const file = (format: 'csv' | 'focus') =>
    `/api/usage?${queryOf({ ...paramsOf(question()), by: isTime(by()) ? by() : `${by()},day`, format })}`
  const ComparedWith = () => (
    <FilterChip
      label={t('comparison')}
      none={t('compareBefore', { count: daysOf(span()).days })}
      value={comparison() === 'before' ? '' : comparison()}
      options={[{ value: 'year', label: t('compareYear') }]}
      onChange={(value) => url.set({ compare: value })}
    />
  )
  return (
    <Page
      title={t('title')}
      facts={t('zone', { zone: timeZone() })}
      actions={
        <>
          <a class="btn ghost" href={file('csv')} download="usage.csv" rel="external">
            <Icon name="download" />
            {t('csv')}
          </a>
          <a class="btn ghost max-[759px]:hidden" href={file('focus')} download="usage-focus.csv" rel="external" title={t('focusWhy')}>
            {t('focus')}
          </a>
        </>
      }
    >
      <FilterBar
        end={
          <Show
            when={phone()}
            fallback={
              <Segments
                label={t('by')}
                value={by()}
                options={byOptions()}
                onChange={(value) => url.set({ by: value }, { replace: true })}
              />
            }
          >
            <FilterChip
              label={t('byShort')}
              none={t('by_model')}
              value={by() === 'model' ? '' : by()}
              options={byOptions().filter(({ value }) => value !== 'model')}
              onChange={(value) => url.set({ by: value }, { replace: true })}
            />
            <ComparedWith />
          </Show>
        }
      >
        <FilterChip
          label={t('range')}
          icon="clock"
          none={t('range30')}
          value={rangeName() === '30' && url.get('days') !== 'dates' ? '' : url.get('days') || 'dates'}
          options={[
            ...spans.filter((one) => one !== '30').map((value) => ({ value, label: t(`range${value}`) })),
            { value: 'dates', label: t('rangedates') },
          ]}
          onChange={(value) => url.set({ days: value, from: '', to: '' })}
        />
        <Show when={url.get('days') === 'dates' || rangeName() === 'dates'}>
          <SpanDates url={url} />
        </Show>
        <Show when={!phone()}>
          <ComparedWith />
        </Show>
        {filterNames.map((name) => (
          <Show when={url.get(name)}>
            {(value) => (
              <button type="button" class="chip on" onClick={() => url.set({ [name]: '' })}>
                {t(`by_${name}`)} <b>{value()}</b>
                <Icon name="x" small />
              </button>
            )}
          </Show>
        ))}
      </FilterBar>
      <WhenLoaded of={report} lines={10}>
        {(known) => (
          <Show
            when={(known().total?.requests ?? 0) > 0}
            fallback={
              <div class="table-frame">
                <Show when={hiding()} fallback={<Empty title={t('empty')}>{t('emptyWhy')}</Empty>}>
                  <NoMatch filters={hiding()} onClear={() => url.set(Object.fromEntries(filterNames.map((name) => [name, ''])))} />
                </Show>
              </div>
            }
          >
            <div class="stack" classList={{ 'opacity-60': isStale(known()) }} aria-busy={isStale(known()) ? 'true' : undefined}>
              <Strip report={known()} admin={admin()} />
              <Charts report={known()} by={by()} />
              <UsageTable
                report={known()}
                rows={ordered(known().rows, by())}
                by={by()}
                admin={admin()}
                onFilter={(name, value) => url.set({ [name]: value })}
              />
            </div>
          </Show>
        )}
      </WhenLoaded>
    </Page>
  )
}

function Strip(props: { report: Report; admin: boolean }) {
  const total = () => props.report.total as UsageTotals
  const past = () => props.report.before
  const cached = () => total().tokens.in.cacheRead / Math.max(1, tokensIn(total()))
  const errors = (of: UsageTotals | undefined) => (of && of.requests > 0 ? of.errors / of.requests : 0)
  return (
    <Stats
      label={props.report.question.comparison === 'year' ? t('comparedYear') : t('comparedWith', { count: props.report.days })}
      stats={[
        {
          label: t('charged'),
          value: <span title={`$${total().charged}`}>{formatMoney(total().charged)}</span>,
          note: changeOf(Number(total().charged), Number(past()?.charged ?? 0)),
        },
        { label: t('requests'), value: formatCount(total().requests), note: changeOf(total().requests, past()?.requests ?? 0) },
        { label: t('tokens'), value: <TokenPair of={total()} /> },
        props.admin && total().margin !== null && total().margin !== undefined
          ? {
              label: t('margin'),
              value: formatMoney(total().margin ?? '0'),
              note: t('ofCharged', { share: formatPercent(Number(total().margin) / Math.max(Number(total().charged), 1e-9)) }),
            }
          : { label: t('cached'), value: formatPercent(cached()) },
        {
          label: t('errors'),
          value: formatPercent(errors(total())),
          note: past()?.requests ? formatPoints(errors(total()), errors(past())) : '',
        },
      ]}
    />
  )
}

const TokenPair = (props: { of: UsageTotals }) => (
  <span class="max-[400px]:text-[17px]">
    <span class="whitespace-nowrap">{formatCompact(tokensIn(props.of))} /</span>{' '}
    <span class="whitespace-nowrap">{formatCompact(props.of.tokens.out.total)}</span>
  </span>
)

function Charts(props: { report: Report; by: Dimension }) {
  const hourly = () => props.report.days === 1
  const labels = () => (hourly() ? hoursFrom(props.report.steps[0]) : props.report.steps.map(formatDay))
  const openAt = () => (props.report.isOver ? undefined : props.report.steps.length - 1)
  const stack = createMemo(() => seriesOf(props.report, props.by).series)
  const money = (value: number) => formatMoney(value.toFixed(9))
  const seconds = (value: number) => formatDuration(value)
  const percentiles = createMemo(() => {
    const byStep = new Map(props.report.whole.map((row) => [stepOf(row), row.latency.firstToken]))
    return (['p50', 'p95', 'p99'] as const).map((share) => ({
      label: share,
      values: props.report.steps.map((step) => byStep.get(step)?.[share] ?? null),
    }))
  })
  const title = () => (hourly() ? t('costHour') : t('costDay'))
  return (
    <div class="cols wide-left items-stretch!">
      <Card
        title={title()}
        tools={
          <Show when={!props.report.isOver}>
            <span class="facts">{hourly() ? t('hourHatched') : t('todayHatched')}</span>
          </Show>
        }
      >
        <Chart
          label={t('chartLabel', {
            title: title(),
            amount: formatMoney(props.report.total?.charged ?? '0'),
            count: props.report.steps.length,
          })}
          plot={{ kind: 'stack', labels: labels(), series: stack(), format: money, ticks: moneyTicks, openAt: openAt() }}
        />
      </Card>
      <Card
        title={t('firstToken')}
        tools={
          <span class="flex flex-wrap gap-x-3 text-[12px]/[16px] text-ink-2" aria-hidden="true">
            <span class="line-key l1">p50</span>
            <span class="line-key l2">p95</span>
            <span class="line-key l3">p99</span>
          </span>
        }
      >
        <Chart
          label={t('linesLabel')}
          plot={{ kind: 'lines', labels: labels(), series: percentiles(), format: seconds, ticks: durationTicks }}
        />
      </Card>
    </div>
  )
}
