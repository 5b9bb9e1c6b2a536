import type { Figures } from '#client/features/channels/channel-columns.tsx'
import { t } from '#client/features/channels/messages.ts'
import { Stats } from '#client/ui/console/stats.tsx'
import { formatDuration } from '#client/ui/console/time.ts'
import { formatPercent } from '#client/ui/format.ts'
import type { ChannelTotals } from '#shared/console/channel'

/** How many channels serve, and the outcomes of the last hour. */
export function HealthStrip(props: { totals: ChannelTotals; figures: Figures | undefined }) {
  const total = () => props.figures?.total
  const first = () => total()?.latency.firstToken
  return (
    <Stats
      label={t('health')}
      stats={[
        {
          label: t('serving'),
          value: props.totals.healthy + props.totals.degraded,
          note: t('ofChannels', { count: props.totals.channels }),
        },
        {
          label: t('success'),
          value: total()?.requests ? formatPercent(1 - (total()?.errors ?? 0) / (total()?.requests ?? 1), 1) : '–',
          note: t('requests', { count: total()?.requests ?? 0 }),
        },
        {
          label: t('firstToken'),
          value: first() ? `${formatDuration(first()?.p50 ?? 0)} / ${formatDuration(first()?.p95 ?? 0)}` : '–',
        },
        { label: t('resting'), value: props.figures?.rests.length ?? '–', note: t('restingNote') },
      ]}
    />
  )
}
