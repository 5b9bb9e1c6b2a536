/** Today at a glance: figures against last week, what needs attention, top models and keys. Reloaded on changes and every minute. */

import { createMemo, For, onCleanup, Show } from 'solid-js'
import { onChange } from '#client/api/events.ts'
import { callApi } from '#client/api/http.ts'
import { useSession } from '#client/api/session.ts'
import { createLoad, queryOf } from '#client/console/load.ts'
import { createSoon } from '#client/console/soon.ts'
import { WhenLoaded } from '#client/console/when-loaded.tsx'
import { Chart } from '#client/ui/chart/chart.tsx'
import { moneyTicks } from '#client/ui/chart/ticks.ts'
import { Segments } from '#client/ui/console/filters.tsx'
import { tc } from '#client/ui/console/messages.ts'
import { Meter } from '#client/ui/console/meter.tsx'
import { ShortName } from '#client/ui/console/monogram.tsx'
import { Card, Page } from '#client/ui/console/page.tsx'
import { DataTable } from '#client/ui/console/table.tsx'
import { formatDay, formatWhen, hoursFrom } from '#client/ui/console/time.ts'
import { useUrlState } from '#client/ui/console/url-state.ts'
import { formatMoney, formatPercent } from '#client/ui/format.ts'
import { timeZone } from '#client/ui/time-zone.ts'
import type { Overview } from '#shared/console/overview'
import type { UsageReportRow } from '#shared/console/usage'
import { linesOf } from './attention.ts'
import { BudgetsCard } from './budgets-card.tsx'
import { largest, stacked } from './figures.ts'
import { FirstSteps } from './first-steps.tsx'
import { t } from './messages.ts'
import { filterNames, filtersOf, OverviewFilters } from './overview-filters.tsx'
import { Strip, weekday } from './strip.tsx'

/** Maximum milliseconds between two loads, for changes without an event: the hour, the end of a rest. */
const everyMs = 60_000
/** Minimum milliseconds between two loads: under load something changes all the time. */
const leastMs = 2_000
/** The selectable ranges in days. */
const ranges = [1, 7, 30] as const

/** `/overview` */
export function OverviewPage() {
  const { admin } = useSession()
  const url = useUrlState()
  const days = () => ranges.find((count) => String(count) === url.get('days')) ?? 1
  const filters = () => filtersOf(url)
  const isFiltered = () => Object.values(filters()).some((value) => value !== '')
  const figures = createLoad(
    () => `/api/overview?${queryOf({ timezone: timeZone(), days: String(days()), ...filters() })}`,
    (path, signal) => callApi<Overview>('GET', path, undefined, signal),
  )
  const reload = createSoon(leastMs, () => void (document.hidden || figures.reload()))
  onChange(['requests', 'keys', 'users', 'teams', 'groups', 'channels', 'prices', 'account'], reload)
  const timer = setInterval(reload, everyMs)
  onCleanup(() => clearInterval(timer))
  const concerns = createMemo(() => linesOf(figures.value()?.attention ?? []))
  return (
    <Page title={t('title')} facts={figures.value() && t('facts', { zone: timeZone(), time: formatWhen(figures.value()?.at ?? '', true) })}>
      <WhenLoaded of={figures} lines={10}>
        {(known) => (
          <div class="stack">
            <FirstSteps first={known().first} />
            <div class="flex flex-wrap items-center gap-3">
              <Segments
                label={t('range')}
                value={String(days())}
                options={ranges.map((count) => ({
                  value: String(count),
                  label: count === 1 ? t('rangeToday') : t('rangeDays', { count }),
                }))}
                onChange={(value) => url.set({ days: value === '1' ? '' : value })}
              />
              <OverviewFilters url={url} admin={admin()} from={since(known())} />
              <Show when={isFiltered()}>
                <button
                  type="button"
                  class="btn ghost sm"
                  onClick={() => url.set(Object.fromEntries(filterNames.map((name) => [name, ''])))}
                >
                  {tc('clearFilters')}
                </button>
              </Show>
              <span class="flex-1" />
              <span class="hint flex items-center gap-1.5">
                <i class="w-4 border-t-2 border-(--c1)" aria-hidden="true" />
                {known().days === 1 ? t('today') : t('rangeDays', { count: known().days })}
                <i class="ml-2 w-4 border-t-2 border-dashed border-line-2" aria-hidden="true" />
                {known().days === 1 ? t('weekAgo', { day: weekday() }) : t('daysBefore', { count: known().days })}
              </span>
            </div>
            <Strip figures={known()} admin={admin()} filters={filters()} />
            <div class="cols wide-left">
              <div class="stack">
                <Card title={t('attention')} bare count={concerns().length}>
                  <ul>
                    <For each={concerns()} fallback={<li class="px-4 pb-4 text-[13px] text-ink-2">{t('allWell')}</li>}>
                      {(concern) => (
                        <li class="list-line">
                          <span class={`shape ${concern.shape}`} aria-hidden="true" />
                          <span class="min-w-0">
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
                <Hours figures={known()} filters={filters()} />
              </div>
              <div class="stack">
                <Top
                  title={t('topModels')}
                  label={t('model')}
                  rows={known().models}
                  name={(row) => row.model ?? ''}
                  href={(row) => url.href({ model: row.model ?? '' })}
                  figures={known()}
                  coloured
                />
                <BudgetsCard budgets={known().budgets} />
                <Top
                  title={t('topKeys')}
                  label={t('key')}
                  rows={known().keys}
                  name={(row) => row.key?.name ?? t('playground')}
                  href={(row) => row.key && url.href({ key: row.key.name ?? row.key.id })}
                  figures={known()}
                />
              </div>
            </div>
          </div>
        )}
      </WhenLoaded>
    </Page>
  )
}

/** The first instant of the figures. */
const since = ({ steps: [first = ''], days }: Overview): string => (days === 1 ? first : `${first}T00:00:00Z`)

function Hours(props: { figures: Overview; filters: Record<string, string> }) {
  const plot = createMemo(() => ({
    kind: 'stack' as const,
    labels: props.figures.days === 1 ? hoursFrom(props.figures.steps[0]) : props.figures.steps.map(formatDay),
    series: stacked(props.figures, t('others')),
    format: (value: number) => formatMoney(value.toFixed(9)),
    ticks: moneyTicks,
    openAt: props.figures.steps.length - 1,
  }))
  return (
    <Card
      title={props.figures.days === 1 ? t('byHour') : t('byDay')}
      tools={
        <span class="flex flex-wrap justify-end gap-x-3 text-[12px]/[16px] text-ink-2 max-[1179px]:hidden" aria-hidden="true">
          <For each={plot().series}>
            {(series, at) => (
              <span>
                <span class={`swatch s${at()}`} />
                {series.label}
              </span>
            )}
          </For>
        </span>
      }
    >
      <Chart
        label={t(props.figures.days === 1 ? 'chart' : 'chartDays', { amount: formatMoney(props.figures.now?.charged ?? '0') })}
        plot={plot()}
      />
      <p class="text-[13px] text-ink-2">
        {props.figures.days === 1 ? t('hatched') : t('hatchedDay')}{' '}
        <a class="underline" href={`/usage?${queryOf({ days: String(props.figures.days), ...props.filters })}`}>
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
  /** This page filtered by the row. */
  href(row: UsageReportRow): string | null | undefined
  figures: Overview
  /** Whether rows show their chart colours. */
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
                  <Show when={props.href(row)} fallback={<ShortName name={props.name(row)} />}>
                    {(href) => <ShortName name={props.name(row)} href={href()} />}
                  </Show>
                </>
              ),
            },
            {
              id: 'share',
              label: t('share'),
              right: true,
              card: 'none',
              cell: (row) => (
                <span class="flex items-center justify-end gap-2">
                  <span class="w-14 max-[1399px]:hidden">
                    <Meter plain share={share(row)} label={`${t('share')} ${formatPercent(share(row))}`} />
                  </span>
                  <span class="min-w-[34px]">{formatPercent(share(row), 0)}</span>
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
