import { createEffect, createSignal, For, onCleanup, Show } from 'solid-js'
import { createMediaQuery } from '#client/ui/browser-state.ts'
import { theme } from '#client/ui/theme.ts'
import { drawPlot, type Plot } from './plot.ts'
import 'uplot/dist/uPlot.min.css'
import './chart.css'

/** A chart with one sentence for screen readers; the table beside it has the numbers. */
export function Chart(props: { plot: Plot; label: string }) {
  let root: HTMLDivElement | undefined
  const [point, setPoint] = createSignal<{ at: number; left: number } | null>(null)
  const dark = createMediaQuery('(prefers-color-scheme: dark)')
  createEffect(() => {
    // Canvas colours are fixed values: redraw when the theme changes.
    theme()
    dark()
    const { plot } = props
    if (!root) return
    onCleanup(drawPlot(root, plot, (at, left) => setPoint(at === null ? null : { at, left })))
  })
  return (
    <div class="chart" ref={root} role="img" aria-label={props.label} onPointerLeave={() => setPoint(null)}>
      <Show when={point()}>
        {(shown) => (
          <div
            class="chart-tip"
            aria-hidden="true"
            style={{ left: `${Math.min(shown().left + 64, Math.max(0, (root?.clientWidth ?? 300) - 180))}px` }}
          >
            <b>{props.plot.labels[shown().at]}</b>
            <For each={props.plot.series}>
              {(series) => (
                <Show when={series.values[shown().at]}>
                  {(value) => (
                    <span>
                      {series.label} <i class="not-italic">{props.plot.format(value())}</i>
                    </span>
                  )}
                </Show>
              )}
            </For>
          </div>
        )}
      </Show>
    </div>
  )
}

/** A line without axes; the previous period is dashed. */
export function Spark(props: { values: readonly number[]; before?: readonly number[]; count: number; label: string }) {
  const most = () => Math.max(...props.values, ...(props.before ?? []), 0) || 1
  const points = (values: readonly number[]) =>
    values
      .map((value, at) => `${((at / Math.max(1, props.count - 1)) * 100).toFixed(2)},${(27 - (value / most()) * 25).toFixed(2)}`)
      .join(' ')
  return (
    <svg class="spark" viewBox="0 0 100 28" preserveAspectRatio="none" role="img" aria-label={props.label}>
      <Show when={props.before}>{(before) => <polyline class="before" points={points(before())} />}</Show>
      <polyline points={points(props.values)} />
    </svg>
  )
}
