/** Spans and measurements of finished requests, sent to the collector. The exporters read `OTEL_EXPORTER_OTLP_*` themselves. */
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import type { Clock } from '#runtime/clock'
import { type CollectorState, type FinishedMessage, nameOf } from '#telemetry/hand-over'
import type { CollectingOptions } from '#telemetry/telemetry'
import { createRequestMetrics } from './request-metrics.ts'
import { createSpanExporter } from './span-exporter.ts'
import { type QueueLimits, spanQueue } from './span-queue.ts'

/** What the thread does. */
export interface Collecting {
  /** Takes finished requests and answers how the collector does. */
  take(message: FinishedMessage): CollectorState
  /** Sends what waits and resolves when the collector has it, or does not take it. */
  close(): Promise<void>
}

const limits: Omit<QueueLimits, 'delayMs'> = { batch: 512, waiting: 8_192 }

/** Begins to send. */
export function createCollecting(
  { settings, version, instance }: Omit<CollectingOptions, 'variables'>,
  clock: Pick<Clock, 'after' | 'now'>,
): Collecting {
  const resource = {
    'service.name': settings.serviceName,
    'service.version': version,
    'service.instance.id': instance,
    ...settings.resource,
  }
  const scope = { name: 'parley', version }
  let failure: CollectorState['failure']
  let [open, lost] = [0, 0]
  const queue = settings.traces
    ? spanQueue(createSpanExporter({ resource, scope }), { ...limits, delayMs: settings.spansWithinMs }, clock, (error) => {
        failure = nameOf(error)
      })
    : undefined
  const dropped = () => queue?.dropped() ?? 0
  const metrics = settings.metrics
    ? startMetrics(
        { resource, scope, everyMs: settings.metricsEveryMs, clock },
        () => open,
        () => lost + dropped(),
      )
    : undefined

  return {
    take(message) {
      ;[open, lost] = [message.open, message.lost]
      const { bytes, count } = message.spans
      if (count > 0) queue?.add({ bytes: new Uint8Array(bytes), count })
      if (metrics) for (const measurements of message.measurements) metrics.observe(measurements)
      const state = { dropped: dropped(), failure }
      failure = undefined
      return state
    },
    async close() {
      await Promise.allSettled([queue?.shutdown(), metrics?.shutdown()])
    },
  }
}

interface MetricsParts {
  resource: Record<string, string>
  scope: { name: string; version: string }
  everyMs: number
  clock: Pick<Clock, 'now'>
}

/** Counts requests and sends the sums; the functions are asked when they go out. */
function startMetrics({ scope, everyMs, clock, ...parts }: MetricsParts, openRequests: () => number, droppedSpans: () => number) {
  const resource = resourceFromAttributes(parts.resource)
  const exporter = new OTLPMetricExporter()
  const temporalityOf = exporter.selectAggregationTemporality.bind(exporter)
  const requests = createRequestMetrics({ resource, scope, now: clock.now, temporalityOf })
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: everyMs, metricProducers: [requests] })
  const meters = new MeterProvider({ resource, readers: [reader] })
  const meter = meters.getMeter(scope.name, scope.version)
  meter
    .createObservableGauge('parley.open_requests', { unit: '{request}', description: 'Requests and sessions that are not settled.' })
    .addCallback((result) => result.observe(openRequests()))
  meter
    .createObservableCounter('parley.dropped_spans', { unit: '{span}', description: 'Spans that did not reach the collector.' })
    .addCallback((result) => result.observe(droppedSpans()))
  return { observe: requests.observe, shutdown: () => meters.shutdown() }
}
