/**
 * Traces and metrics over OTLP/HTTP. A request carries only the ids of its trace; its span and measurements are derived from its
 * row at its end, and counted and sent by a separate thread (`collecting`), many at a time. Loaded only where a collector is configured.
 */
import type { Clock, Random } from '#runtime/clock'
import type { TlsIdentity } from '#runtime/contract/route'
import type { Log } from '#runtime/log'
import { serverScript } from '#runtime/package-file'
import { WorkerLink } from '#runtime/worker-link'
import type { NewLog } from '#store/ledger/ledger'
import type { Vendors } from './conventions.ts'
import { type CollectorState, type FinishedMessage, type HandOverLimits, handOver, nameOf } from './hand-over.ts'
import { handOverMs, type TelemetrySettings } from './settings.ts'
import { samplerOf } from './trace-context.ts'
import { type TracedRequests, tracedRequests } from './traced-requests.ts'

/** Dependencies of telemetry. */
export interface TelemetryParts {
  settings: TelemetrySettings
  /** Contents of the files in the settings. */
  tls: TlsIdentity | undefined
  /** The environment; the exporters' variables are taken from it. */
  env: Record<string, string | undefined>
  version: string
  /** Distinguishes instances. */
  instance: string
  clock: Clock
  random: Random
  log: Log
  openRequests(): number
  /** The current vendors of channels. */
  vendors(): Vendors
}

/** Running telemetry. */
export interface Telemetry extends Pick<TracedRequests, 'begin' | 'traceIdOf'> {
  /** A request has ended and left this row. */
  observe(row: NewLog): void
  /** Sends what is pending, as far as the collector takes it. */
  close(): Promise<void>
}

/** Configuration of the thread. */
export interface CollectingOptions extends Pick<TelemetryParts, 'settings' | 'tls' | 'version' | 'instance'> {
  /** Variables for the exporters: a thread does not see additions to its process's environment. */
  variables: Record<string, string>
}

/** A message to the thread: its configuration, finished requests, or the end. Each is answered when done. */
export type CollectingMessage = { id: number } & (
  | ({ kind: 'open' } & CollectingOptions)
  | ({ kind: 'finished' } & FinishedMessage)
  | { kind: 'close' }
)

/** A lot usually makes one message to the collector: each costs turns on two threads and in the collector. */
const limits: Omit<HandOverLimits, 'beatMs' | 'delayMs'> = { lot: 512, underway: 8_192 }
const mostBeatMs = 5_000
/** Milliseconds between two warnings about a failing collector. */
const silenceMs = 60_000
/** Milliseconds that shutdown may spend on pending data. */
const lastMs = 3_000

/** Starts telemetry. Throws an Error that names the variable for a setting that is not known. */
export function createTelemetry(parts: TelemetryParts): Telemetry {
  const { settings, tls, version, instance, clock, log, openRequests, vendors } = parts
  const sampler = samplerOf(settings.sampler, settings.samplerArgument)
  const requests = tracedRequests(clock, parts.random, sampler)
  const script = serverScript('telemetry/collecting/worker')
  const first = { kind: 'open' as const, settings, tls, version, instance, variables: exporterVariables(parts.env) }
  const link = new WorkerLink<CollectingMessage>({ script, first, what: 'the thread of OpenTelemetry', clock })
  let warnedAt = Number.NEGATIVE_INFINITY

  function reported({ dropped, failure }: CollectorState): void {
    if (failure === undefined || clock.monotonic() - warnedAt < silenceMs) return
    warnedAt = clock.monotonic()
    log.warn({ ...failure, dropped: dropped + rows.lost() }, 'the OpenTelemetry collector does not accept data')
  }
  const rows = handOver({
    limits: { ...limits, delayMs: handOverMs(settings), beatMs: Math.min(settings.metricsEveryMs, mostBeatMs) },
    ...{ clock, openRequests, vendors, reported },
    ...{ traces: settings.traces, metrics: settings.metrics },
    failed: (error) => reported({ dropped: 0, failure: nameOf(error) }),
    send: (message) => link.ask({ kind: 'finished', ...message }, [message.numbers.buffer, message.ids.buffer]) as Promise<CollectorState>,
  })
  // A failure here recurs with the first message, and is counted there.
  link.open().catch(() => undefined)

  return {
    begin: requests.begin,
    traceIdOf: requests.traceIdOf,
    observe: (row) => rows.add(row, requests.end(row.requestId)),
    async close() {
      const flushed = rows.close().then(() => link.close({ kind: 'close' }))
      await Promise.race([flushed.catch(() => undefined), clock.sleep(lastMs)])
      link.rest()
    },
  }
}

const exporterVariables = (env: TelemetryParts['env']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (name.startsWith('OTEL_') && value !== undefined ? [[name, value]] : [])),
  )
