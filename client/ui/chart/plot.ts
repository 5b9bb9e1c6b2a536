/** Draws with uPlot: stacked bars and lines. Every chart has a table with the same numbers. */
import uPlot from 'uplot'
import { pageColour, resolvedColours } from './series-colours.ts'

/** A series: its name and a value for each place on the x axis; null where there is none. */
export interface Series {
  label: string
  values: readonly (number | null)[]
}

/** What is drawn. */
export interface Plot {
  kind: 'stack' | 'lines'
  /** The labels of the x axis. */
  labels: readonly string[]
  series: readonly Series[]
  format(value: number): string
  /** The labels of the value axis. */
  ticks(values: readonly number[]): string[]
  /** The step that is not over yet: its bar is hatched, and nothing comes after it. */
  openAt?: number | undefined
}

/** Cumulative sums: the top of each part of a stacked bar. */
export function stackOf(series: readonly Series[]): number[][] {
  const tops: number[][] = []
  for (const { values } of series) {
    const below = tops.at(-1)
    tops.push(values.map((value, at) => (value ?? 0) + (below?.[at] ?? 0)))
  }
  return tops
}

const dashes = [undefined, [6, 4], [2, 3], [10, 3], [4, 2]]

/** Draws the plot into `root`. Calls `onPoint` with the step under the pointer, or null. The returned function removes everything. */
export function drawPlot(root: HTMLElement, plot: Plot, onPoint: (at: number | null, left: number) => void): () => void {
  const colours = resolvedColours()
  const line = pageColour('--line')
  const text = pageColour('--text-3')
  const surface = pageColour('--surface')
  const colourOf = (at: number) => colours[plot.kind === 'lines' ? ([0, 2, 3, 4, 5][at] ?? 5) : Math.min(at, 5)] ?? text
  const places = plot.labels.map((_, at) => at)
  const tops = plot.kind === 'stack' ? stackOf(plot.series) : plot.series.map((one) => [...one.values])
  // An empty part is not drawn: its edge would cut the line below it.
  const drawn = (at: number) =>
    places.map((place) => (plot.kind === 'lines' || plot.series[at]?.values[place] ? (tops[at]?.[place] ?? null) : null))
  // Drawn from the top down, so that each part covers what is below it.
  const order = plot.series.map((_, at) => at)
  if (plot.kind === 'stack') order.reverse()
  const width = () => Math.max(160, root.clientWidth)
  const bars = uPlot.paths.bars?.({ size: [0.78, 36], radius: 0 })
  const series = order.map(
    (at): uPlot.Series => ({
      label: plot.series[at]?.label ?? '',
      stroke: plot.kind === 'stack' ? surface : colourOf(at),
      width: plot.kind === 'stack' ? 1 : 2,
      // A single value has no line.
      points: { show: plot.kind === 'lines' && drawn(at).filter((value) => value !== null).length === 1, size: 6, fill: colourOf(at) },
      spanGaps: true,
      ...(plot.kind === 'stack' && { fill: () => colourOf(at), ...(bars && { paths: bars }) }),
      ...(plot.kind === 'lines' && dashes[at] && { dash: dashes[at] }),
    }),
  )
  const every = Math.max(1, Math.ceil(plot.labels.length / Math.max(2, Math.floor(width() / 90))))
  const font = '11px system-ui, sans-serif'
  const chart = new uPlot(
    {
      width: width(),
      height: root.clientHeight || 220,
      legend: { show: false },
      cursor: { drag: { x: false, y: false }, x: false, y: false, points: { show: false } },
      padding: [8, 8, 0, 0],
      scales: {
        x: { time: false, range: () => [-0.6, plot.labels.length - 0.4] },
        y: { range: (_, low, high) => [Math.min(0, low ?? 0), (high ?? 0) <= 0 ? 1 : high * 1.08] },
      },
      axes: [
        {
          stroke: text,
          font,
          grid: { show: false },
          ticks: { show: false },
          size: 24,
          splits: () => places.filter((at) => at % every === 0),
          values: (_, splits) => splits.map((at) => plot.labels[at] ?? ''),
        },
        {
          stroke: text,
          font,
          size: 56,
          grid: { stroke: line, width: 1 },
          ticks: { show: false },
          space: 44,
          values: (_, splits) => plot.ticks(splits),
        },
      ],
      series: [{}, ...series],
      hooks: {
        draw: [
          (self) =>
            plot.openAt !== undefined && plot.kind === 'stack' && hatch(self, plot.openAt, tops.at(-1)?.[plot.openAt] ?? 0, surface),
        ],
        setCursor: [
          (self) => {
            const { left, idx } = self.cursor
            onPoint(idx === null || idx === undefined || (left ?? -1) < 0 ? null : idx, left ?? 0)
          },
        ],
      },
    },
    [places, ...order.map(drawn)] as uPlot.AlignedData,
    root,
  )
  const watch = new ResizeObserver(() => chart.setSize({ width: width(), height: root.clientHeight || 220 }))
  watch.observe(root)
  return () => {
    watch.disconnect()
    chart.destroy()
  }
}

/** Slanted lines over one bar. */
function hatch(chart: uPlot, at: number, top: number, colour: string): void {
  if (top <= 0) return
  const { ctx } = chart
  const ratio = devicePixelRatio
  const middle = chart.valToPos(at, 'x', true)
  const step = chart.valToPos(1, 'x', true) - chart.valToPos(0, 'x', true)
  const half = Math.min(step * 0.39, 18 * ratio)
  const [high, low] = [chart.valToPos(top, 'y', true), chart.valToPos(0, 'y', true)]
  ctx.save()
  ctx.beginPath()
  ctx.rect(middle - half, high, half * 2, low - high)
  ctx.clip()
  ctx.strokeStyle = colour
  ctx.lineWidth = 1.5 * ratio
  for (let x = middle - half - (low - high); x < middle + half; x += 5 * ratio) {
    ctx.beginPath()
    ctx.moveTo(x, low)
    ctx.lineTo(x + (low - high), high)
    ctx.stroke()
  }
  ctx.restore()
}
