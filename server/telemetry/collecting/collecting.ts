/** Spans and measurements of finished requests, sent to the collector that `OTEL_EXPORTER_OTLP_*` names. */
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import type { Clock } from '#runtime/clock'
import { type CollectorState, type FinishedMessage, nameOf } from '#telemetry/hand-over'
import type { TakenLot } from '#telemetry/lot'
import { handOverMs } from '#telemetry/settings'
import { column, columns } from '#telemetry/span-template'
import type { CollectingOptions } from '#telemetry/telemetry'
import { type CountRequest, createRequestMetrics } from './request-metrics.ts'
import { type ReadyShape, readyCaller, readyShape, type WrittenLot } from './span-message.ts'
import { type QueueLimits, spanQueue } from './span-queue.ts'
import { createSpanSender } from './span-sender.ts'

/** What the thread does. */
export interface Collecting {
  /** Takes finished requests and returns the state of the collector. */
  take(message: FinishedMessage): CollectorState
  /** Sends what is pending and resolves when the collector has taken or refused it. */
  close(): Promise<void>
}

const limits: Omit<QueueLimits, 'delayMs'> = { batch: 1_024, waiting: 8_192 }

/** Starts sending. */
export function createCollecting(
  { settings, tls, version, instance }: Omit<CollectingOptions, 'variables'>,
  clock: Pick<Clock, 'after' | 'now' | 'monotonic' | 'sleep'>,
): Collecting {
  const resource = {
    'service.name': settings.serviceName,
    'service.version': version,
    'service.instance.id': instance,
    ...settings.resource,
  }
  const scope = { name: 'parley', version }
  let failure: CollectorState['failure']
  let [open, lost, unknown] = [0, 0, 0]
  const queue = settings.traces
    ? spanQueue<WrittenLot>(
        createSpanSender({ resource, scope }, tls, clock),
        { ...limits, delayMs: settings.spansWithinMs - handOverMs(settings) },
        clock,
        (error) => {
          failure = nameOf(error)
        },
      )
    : undefined
  const dropped = () => unknown + (queue?.dropped() ?? 0)
  const metrics = settings.metrics
    ? startMetrics(
        { resource, scope, everyMs: settings.metricsEveryMs, clock },
        () => open,
        () => lost + dropped(),
      )
    : undefined

  let epoch = -1
  let shapes = new Map<number, ReadyShape & { count: CountRequest | undefined }>()
  let callers = new Map<number, Uint8Array>()

  /** Adds the shapes and callers of a lot to the earlier ones of its epoch. */
  function learn({ shapes: named, callers: calling, ...lot }: TakenLot): void {
    if (lot.epoch !== epoch) [shapes, callers] = [new Map(), new Map()]
    for (const { number, text } of calling) callers.set(number, readyCaller(text))
    epoch = lot.epoch
    for (const { number, facts, template } of named) shapes.set(number, { ...readyShape(template), count: metrics?.of(facts) })
  }

  /** Counts the requests of a lot; returns how many spans have a shape unknown to this thread. */
  function count({ numbers, whole }: TakenLot): number {
    let strange = 0
    for (let at = 0; at < numbers.length; at += columns) {
      const of = (which: number) => numbers[at + which] ?? Number.NaN
      const shape = shapes.get(of(column.shape))
      if (shape === undefined) strange += of(column.isTraced) === 0 ? 0 : of(column.attemptAt) >= 0 ? 2 : 1
      else shape.count?.(of(column.totalMs), of(column.firstTokenMs), of(column.input), of(column.output), of(column.cost))
    }
    for (const { facts, measured } of whole) metrics?.of(facts)(...measured)
    return strange
  }

  return {
    take(message) {
      ;[open, lost] = [message.open, message.lost]
      learn(message)
      const strange = count(message)
      unknown += strange
      const { numbers, ids, whole, spans } = message
      const texts = whole.flatMap(({ text }) => (text === '' ? [] : [text]))
      if (spans > strange) queue?.add({ count: spans - strange, shapes, callers, numbers, ids, texts })
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

/** Counts requests and sends the sums; the functions are called on each export. */
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
  return { of: requests.of, shutdown: () => meters.shutdown() }
}
