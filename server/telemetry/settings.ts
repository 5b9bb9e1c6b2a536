/** Telemetry settings from the environment, except those the exporters read themselves. Pure. */

/** Settings of telemetry. */
export interface TelemetrySettings {
  traces: boolean
  metrics: boolean
  serviceName: string
  /** Resource attributes of this installation. */
  resource: Record<string, string>
  sampler: string | undefined
  samplerArgument: string | undefined
  metricsEveryMs: number
  /** Longest time that a span waits to be sent with others. */
  spansWithinMs: number
  /** Files with the trusted CA of the trace collector and the client certificate, with the variables that name them. */
  tlsFiles: Partial<Record<'ca' | 'cert' | 'key', { variable: string; path: string }>>
}

/** Most milliseconds that a finished request waits before it is sent to the other thread. */
const mostHandOverMs = 500

/** The part of a span's waiting time that is spent before it is sent to the other thread, in milliseconds. */
export const handOverMs = ({ spansWithinMs }: Pick<TelemetrySettings, 'spansWithinMs'>): number =>
  Math.min(spansWithinMs / 2, mostHandOverMs)

/** Undefined where no collector is named, or telemetry is switched off. Throws an Error that names the variable of an invalid setting. */
export function telemetrySettings(env: Record<string, string | undefined>): TelemetrySettings | undefined {
  const given = (name: string) => (env[name] === '' ? undefined : env[name])
  const sendsTo = (signal: 'TRACES' | 'METRICS') =>
    (given('OTEL_EXPORTER_OTLP_ENDPOINT') ?? given(`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`)) !== undefined &&
    given(`OTEL_${signal}_EXPORTER`) !== 'none'
  const [traces, metrics] = [sendsTo('TRACES'), sendsTo('METRICS')]
  if ((!traces && !metrics) || given('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return undefined
  for (const name of ['OTEL_EXPORTER_OTLP_PROTOCOL', 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_METRICS_PROTOCOL'])
    if (given(name)?.startsWith('grpc')) throw new Error(`${name} must be http/json or http/protobuf, or absent: gRPC is not spoken`)
  const resource = resourceOf(given('OTEL_RESOURCE_ATTRIBUTES') ?? '')
  return {
    traces,
    metrics,
    serviceName: given('OTEL_SERVICE_NAME') ?? resource['service.name'] ?? 'parley',
    resource: { ...resource, ...(given('OTEL_SERVICE_NAME') !== undefined && { 'service.name': given('OTEL_SERVICE_NAME') ?? '' }) },
    sampler: given('OTEL_TRACES_SAMPLER'),
    samplerArgument: given('OTEL_TRACES_SAMPLER_ARG'),
    metricsEveryMs: wholeMs('OTEL_METRIC_EXPORT_INTERVAL', given('OTEL_METRIC_EXPORT_INTERVAL') ?? '60000'),
    tlsFiles: {
      ...namedFile('ca', 'CERTIFICATE', given),
      ...namedFile('cert', 'CLIENT_CERTIFICATE', given),
      ...namedFile('key', 'CLIENT_KEY', given),
    },
    spansWithinMs: wholeMs('OTEL_BSP_SCHEDULE_DELAY', given('OTEL_BSP_SCHEDULE_DELAY') ?? '2000'),
  }
}

function namedFile(use: 'ca' | 'cert' | 'key', ending: string, given: (name: string) => string | undefined): TelemetrySettings['tlsFiles'] {
  const names = [`OTEL_EXPORTER_OTLP_TRACES_${ending}`, `OTEL_EXPORTER_OTLP_${ending}`]
  const variable = names.find((name) => given(name) !== undefined)
  return variable === undefined ? {} : { [use]: { variable, path: given(variable) ?? '' } }
}

function wholeMs(name: string, text: string): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : 0
  if (value < 100) throw new Error(`${name} must be milliseconds, 100 at least`)
  return value
}

/** `name=value,name=value`, percent-encoded. */
function resourceOf(text: string): Record<string, string> {
  const pairs = text.split(',').flatMap((pair) => {
    const at = pair.indexOf('=')
    return at > 0 ? [[pair.slice(0, at).trim(), decoded(pair.slice(at + 1).trim())] as const] : []
  })
  return Object.fromEntries(pairs)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
