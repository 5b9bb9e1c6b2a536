/** Spans and measurements of finished requests, sent to the collector. The exporters read `OTEL_EXPORTER_OTLP_*` themselves. */
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import type { Clock } from '#runtime/clock'
import type { FinishedRequest } from '#telemetry/finished-request'
import { type CollectorState, type FinishedMessage, nameOf } from '#telemetry/hand-over'
import type { CollectingOptions } from '#telemetry/telemetry'
import { createInstruments } from './instruments.ts'
import { requestSpans } from './request-spans.ts'
import { type QueueLimits, spanQueue } from './span-queue.ts'

/** What the thread does. */
export interface Collecting {
  /** Takes finished requests and answers how the collector does. */
  take(message: FinishedMessage): CollectorState
  /** Sends what waits and resolves when the collector has it, or does not take it. */
  close(): Promise<void>
}

const limits: QueueLimits = { batch: 512, waiting: 8_192, delayMs: 2_000 }

/** Begins to send. */
export function createCollecting(
  { settings, version, instance }: Omit<CollectingOptions, 'variables'>,
  clock: Pick<Clock, 'after'>,
): Collecting {
  const resource = resourceFromAttributes({
    'service.name': settings.serviceName,
    'service.version': version,
    'service.instance.id': instance,
    ...settings.resource,
  })
  const origin = { resource, instrumentationScope: { name: 'parley', version } }
  let failure: CollectorState['failure']
  let [open, lost] = [0, 0]
  const queue = settings.traces
    ? spanQueue(new OTLPTraceExporter(), limits, clock, (error) => {
        failure = nameOf(error)
      })
    : undefined
  const meters = new MeterProvider({
    resource,
    readers: settings.metrics
      ? [new PeriodicExportingMetricReader({ exporter: new OTLPMetricExporter(), exportIntervalMillis: settings.metricsEveryMs })]
      : [],
  })
  const dropped = () => queue?.dropped() ?? 0
  const instruments = createInstruments(meters.getMeter('parley', version), {
    openRequests: () => open,
    droppedSpans: () => lost + dropped(),
  })

  return {
    take(message) {
      ;[open, lost] = [message.open, message.lost]
      for (const request of JSON.parse(message.requests) as FinishedRequest[]) {
        instruments.observe(request)
        if (request.trace && queue) for (const span of requestSpans(request, request.trace, origin)) queue.add(span)
      }
      const state = { dropped: dropped(), failure }
      failure = undefined
      return state
    },
    async close() {
      await Promise.allSettled([queue?.shutdown(), meters.shutdown()])
    },
  }
}
