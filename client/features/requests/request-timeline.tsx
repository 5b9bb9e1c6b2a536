import { For } from 'solid-js'
import { formatDuration } from '#client/ui/console/time.ts'
import type { LogRow } from '#shared/console/log'
import { t } from './messages.ts'

interface Span {
  label: string
  from: number
  ms: number
  kind: 'failed' | 'wait' | 'stream'
}

/** The phases of a request, in milliseconds from its start. */
export function spansOf(row: LogRow): Span[] {
  const attempts = row.attempts ?? []
  const failed = attempts.slice(0, -1)
  let at = 0
  const spans = failed.map(({ ms }, index): Span => {
    const from = at
    at += ms
    return { label: t('attempt', { count: index + 1 }), from, ms, kind: 'failed' }
  })
  if (row.firstTokenMs === null) return [...spans, { label: t('total'), from: at, ms: Math.max(0, row.totalMs - at), kind: 'wait' }]
  const first = Math.max(row.firstTokenMs, at)
  return [
    ...spans,
    { label: t('untilFirst'), from: at, ms: first - at, kind: 'wait' },
    { label: t('streaming'), from: first, ms: Math.max(0, row.totalMs - first), kind: 'stream' },
  ]
}

/** The timeline of a request, to scale. */
export function RequestTimeline(props: { row: LogRow }) {
  const whole = () => Math.max(1, props.row.totalMs)
  return (
    <ul class="timeline">
      <For each={spansOf(props.row)}>
        {(span) => (
          <li>
            <span>{span.label}</span>
            <span class="track" aria-hidden="true">
              <i
                class={span.kind}
                style={{
                  left: `${(100 * span.from) / whole()}%`,
                  width: `max(2px, ${(100 * Math.min(span.ms, whole() - span.from)) / whole()}%)`,
                }}
              />
            </span>
            <span class="num text-right">{formatDuration(span.ms)}</span>
          </li>
        )}
      </For>
    </ul>
  )
}
