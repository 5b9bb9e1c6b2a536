/**
 * Traces and metrics over OTLP/HTTP. Spans are made from the row that a finished request leaves, so that a request carries nothing but the
 * ids of its trace. Loaded only where a collector is configured; the exporters read `OTEL_EXPORTER_OTLP_*` themselves.
 */
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import type { Clock, Random } from '#runtime/clock'
import type { Log } from '#runtime/log'
import type { NewLog } from '#store/ledger/ledger'
import { createInstruments } from './instruments.ts'
import { requestSpans } from './request-spans.ts'
import type { TelemetrySettings } from './settings.ts'
import { type QueueLimits, spanQueue } from './span-queue.ts'
import { samplerOf } from './trace-context.ts'
import { type TracedRequests, tracedRequests } from './traced-requests.ts'

/** What telemetry is made from. */
export interface TelemetryParts {
  settings: TelemetrySettings
  version: string
  /** Tells instances apart. */
  instance: string
  clock: Clock
  random: Random
  log: Log
  openRequests(): number
  /** The vendor of a channel by its name. */
  vendorOf(channel: string): string | undefined
}

/** Telemetry that runs. */
export interface Telemetry extends Pick<TracedRequests, 'begin' | 'traceIdOf'> {
  /** A request has ended and left this row. */
  observe(row: NewLog): void
  /** Sends what waits, as far as the collector takes it. */
  close(): Promise<void>
}

const limits: QueueLimits = { batch: 512, waiting: 8_192, delayMs: 2_000 }
/** Milliseconds between two warnings that the collector does not take anything. */
const silenceMs = 60_000
/** Milliseconds that the end of the process may take for what waits. */
const lastMs = 3_000

/** Starts telemetry. Throws an Error that names the variable for a setting that is not known. */
export function createTelemetry(parts: TelemetryParts): Telemetry {
  const { settings, clock, log, vendorOf } = parts
  const requests = tracedRequests(clock, parts.random, samplerOf(settings.sampler, settings.samplerArgument))
  const resource = resourceFromAttributes({
    'service.name': settings.serviceName,
    'service.version': parts.version,
    'service.instance.id': parts.instance,
    ...settings.resource,
  })
  let warnedAt = Number.NEGATIVE_INFINITY
  const failed = (err: unknown) => {
    if (clock.monotonic() - warnedAt < silenceMs) return
    warnedAt = clock.monotonic()
    const { name, code } = (err ?? {}) as { name?: string; code?: unknown }
    log.warn({ name, code, dropped: queue?.dropped() }, 'the OpenTelemetry collector does not take what is sent to it')
  }
  const queue = settings.traces ? spanQueue(new OTLPTraceExporter(), limits, clock, failed) : undefined
  const origin = { resource, instrumentationScope: { name: 'parley', version: parts.version }, vendorOf }
  const meters = new MeterProvider({
    resource,
    readers: settings.metrics
      ? [new PeriodicExportingMetricReader({ exporter: new OTLPMetricExporter(), exportIntervalMillis: settings.metricsEveryMs })]
      : [],
  })
  const instruments = createInstruments(meters.getMeter('parley', parts.version), {
    openRequests: parts.openRequests,
    droppedSpans: () => queue?.dropped() ?? 0,
  })

  return {
    begin: requests.begin,
    traceIdOf: requests.traceIdOf,
    observe(row) {
      const request = requests.end(row.requestId)
      instruments.observe(row, row.channel == null ? undefined : vendorOf(row.channel))
      if (request.sampled && queue) for (const span of requestSpans(row, request, origin)) queue.add(span)
    },
    async close() {
      const flushed = Promise.allSettled([queue?.shutdown(), meters.shutdown()])
      await Promise.race([flushed, clock.sleep(lastMs)])
    },
  }
}
