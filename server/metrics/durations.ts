/**
 * Durations counted in plain numbers, and read by the exporter on each scrape: its own histograms sort and serialise the labels of each
 * measurement, which costs more than the rest of a request's metrics.
 */
import type { Histogram, Registry } from 'prom-client'

/** Measurements under one set of labels. */
export interface DurationSums {
  /** Upper bounds of the buckets in seconds, ascending; the last bucket is unbounded. */
  boundaries: readonly number[]
  /** By bucket. */
  counts: Float64Array
  count: number
  /** Seconds. */
  sum: number
}

/** Nothing measured yet. */
export const durationSums = (boundaries: readonly number[]): DurationSums => ({
  ...{ boundaries, counts: new Float64Array(boundaries.length + 1), count: 0, sum: 0 },
})

/** Adds a measurement. */
export function addDuration(sums: DurationSums, seconds: number): void {
  const { boundaries, counts } = sums
  let at = 0
  while (at < boundaries.length && seconds > (boundaries[at] ?? 0)) at += 1
  counts[at] = (counts[at] ?? 0) + 1
  sums.count += 1
  sums.sum += seconds
}

interface LabelledDurations {
  labels: Record<string, string>
  sums: DurationSums
}

/** A histogram whose values are read on each scrape. */
export function registerDurations(registry: Registry, name: string, help: string, read: () => Iterable<LabelledDurations>): void {
  const get = async () => ({
    name,
    help,
    type: 'histogram',
    aggregator: 'sum',
    values: [...read()].flatMap((one) => valuesOf(name, one)),
  })
  // All that a registry uses of a metric; its type requires the rest of a histogram, too.
  registry.registerMetric({ name, get } as unknown as Histogram)
}

function valuesOf(name: string, { labels, sums: { boundaries, counts, count, sum } }: LabelledDurations) {
  let below = 0
  const buckets = boundaries.map((le, at) => {
    below += counts[at] ?? 0
    return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: below }
  })
  return [
    ...buckets,
    { metricName: `${name}_bucket`, labels: { le: '+Inf', ...labels }, value: count },
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ]
}
