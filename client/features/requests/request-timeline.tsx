import { For } from 'solid-js'
import { formatDuration } from '#client/ui/console/time.ts'
import type { LogRow } from '#shared/console/log'
import { spansOf } from './timeline-spans.ts'

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
