import { queryOf } from '#client/console/load.ts'
import { Spark } from '#client/ui/chart/chart.tsx'
import { type Stat, Stats } from '#client/ui/console/stats.tsx'
import { formatDuration } from '#client/ui/console/time.ts'
import { formatChange, formatCount, formatMoney, formatPercent, formatPoints } from '#client/ui/format.ts'
import { writeDate } from '#client/ui/formatters.ts'
import { language } from '#client/ui/language.ts'
import type { Overview } from '#shared/console/overview'
import type { UsageReportRow } from '#shared/console/usage'
import { bySteps, stepsBefore } from './figures.ts'
import { t } from './messages.ts'

/** The name of today's weekday. */
export const weekday = (): string => writeDate(new Date(), language() === 'zh' ? 'zh-CN' : 'en-GB', { weekday: 'long' })

/** Spend, requests, errors and times, each with a sparkline and compared with the previous period. */
export function Strip(props: { figures: Overview; admin: boolean; filters: Record<string, string> }) {
  const spark = (label: string, value: (row: UsageReportRow) => number) => (
    <Spark
      label={label}
      count={props.figures.days === 1 ? 24 : props.figures.days}
      values={bySteps(props.figures.hours, props.figures.steps, value)}
      before={bySteps(props.figures.hoursBefore, stepsBefore(props.figures), value)}
    />
  )
  const against = (change: string) => {
    if (change === '') return ''
    return props.figures.days === 1 ? t('onWeek', { change, day: weekday() }) : t('onBefore', { change, count: props.figures.days })
  }
  const change = (now: number, before: number) => against(before === 0 ? '' : formatChange(now / before - 1))
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
          <a class="text-ink hover:text-accent" href={`/requests?${queryOf({ failed: 'true', ...props.filters })}`}>
            {formatPercent(errors(now))}
          </a>
        ),
        note: against(before && before.requests > 0 ? formatPoints(errors(now), errors(before)) : ''),
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
  return <Stats label={props.figures.days === 1 ? t('today') : t('rangeDays', { count: props.figures.days })} stats={stats()} />
}
