/** Metrics and telemetry, where the environment asks for them. They watch the books: every request passes there once, when it has ended. */
import type { Books } from '#billing/ledger/books'
import { createMetrics, type Metrics, observed } from '#metrics/metrics'
import type { Telemetry, TelemetryParts } from '#telemetry/telemetry'

/** Who watches. */
export interface Observers {
  metrics: Metrics | undefined
  telemetry: Telemetry | undefined
  /** The same books, watched. */
  watched<B extends Books>(books: B): B
}

/** `metrics` and `telemetry`: what each is made from, or undefined where nobody asked for it. */
export async function openObservers(wanted: {
  metrics: Parameters<typeof createMetrics>[0] | undefined
  telemetry: TelemetryParts | undefined
}): Promise<Observers> {
  const metrics = wanted.metrics && createMetrics(wanted.metrics)
  // Loaded when it is asked for: a start without it is shorter.
  const telemetry = wanted.telemetry && (await import('#telemetry/telemetry')).createTelemetry(wanted.telemetry)
  return {
    metrics,
    telemetry,
    watched(books) {
      const counted = metrics ? observed(books, metrics) : books
      return telemetry ? observed(counted, telemetry) : counted
    },
  }
}
