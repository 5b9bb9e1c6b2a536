/**
 * A collector on 127.0.0.1 that takes OTLP/HTTP as JSON and refuses what breaks its rules. Written from
 * https://opentelemetry.io/docs/specs/otlp/ and opentelemetry-proto (trace/v1, metrics/v1): ids are hexadecimal, 64-bit numbers are text.
 */

/** A value as OTLP writes it. */
type AnyValue = { stringValue?: string; intValue?: number | string; doubleValue?: number; boolValue?: boolean }
interface KeyValue {
  key: string
  value: AnyValue
}

/** A span as it was received, its attributes by name. */
export interface ReceivedSpan {
  traceId: string
  spanId: string
  parentSpanId: string | undefined
  traceState: string | undefined
  name: string
  /** 2 = server, 3 = client. */
  kind: number
  /** Nanoseconds since the epoch. */
  start: bigint
  end: bigint
  attributes: Record<string, unknown>
  events: { name: string; at: bigint; attributes: Record<string, unknown> }[]
  /** 2 = error. */
  status: number
  resource: Record<string, unknown>
}

/** A running collector. */
export interface OtlpReceiver {
  url: string
  spans: readonly ReceivedSpan[]
  /** Names of metrics with their latest data points. */
  metrics: ReadonlyMap<string, readonly { attributes: Record<string, unknown>; count?: number; sum?: number; value?: number }[]>
  /** Violations of the rules. */
  faults: readonly string[]
  /** Headers of every message. */
  headers: readonly Headers[]
  /** Answers every message like this from now on. */
  answer(status: number): void
  close(): Promise<void>
}

const isId = (text: unknown, digits: number) => typeof text === 'string' && new RegExp(`^(?!0+$)[0-9a-f]{${digits}}$`).test(text)
const isNano = (text: unknown) => typeof text === 'string' && /^1\d{18}$/.test(text)

function plainOf({ stringValue, intValue, doubleValue, boolValue }: AnyValue): unknown {
  return stringValue ?? boolValue ?? doubleValue ?? (intValue === undefined ? undefined : Number(intValue))
}
const named = (pairs: KeyValue[] = []) => Object.fromEntries(pairs.map(({ key, value }) => [key, plainOf(value)]))

/** Starts a collector. */
export function otlpReceiver(): OtlpReceiver {
  const spans: ReceivedSpan[] = []
  const metrics = new Map<string, { attributes: Record<string, unknown>; count?: number; sum?: number; value?: number }[]>()
  const faults: string[] = []
  const headers: Headers[] = []
  let status = 200

  // biome-ignore lint/suspicious/noExplicitAny: any JSON that is sent.
  function takeTraces(body: any): void {
    for (const { resource, scopeSpans } of body.resourceSpans ?? [])
      for (const scope of scopeSpans ?? [])
        for (const span of scope.spans ?? []) {
          if (!isId(span.traceId, 32) || !isId(span.spanId, 16)) faults.push('ids of a span')
          if (span.parentSpanId && !isId(span.parentSpanId, 16)) faults.push('parent of a span')
          if (!isNano(span.startTimeUnixNano) || !isNano(span.endTimeUnixNano)) faults.push('times of a span')
          if (typeof span.kind !== 'number' || typeof span.name !== 'string' || span.name === '') faults.push('name or kind of a span')
          spans.push({
            ...{ traceId: span.traceId, spanId: span.spanId, parentSpanId: span.parentSpanId || undefined, traceState: span.traceState },
            ...{ name: span.name, kind: span.kind, start: BigInt(span.startTimeUnixNano), end: BigInt(span.endTimeUnixNano) },
            ...{ attributes: named(span.attributes), status: span.status?.code ?? 0, resource: named(resource?.attributes) },
            events: (span.events ?? []).map((event: { name: string; timeUnixNano: string; attributes?: KeyValue[] }) => ({
              name: event.name,
              at: BigInt(event.timeUnixNano),
              attributes: named(event.attributes),
            })),
          })
        }
  }

  // biome-ignore lint/suspicious/noExplicitAny: any JSON that is sent.
  function takeMetrics(body: any): void {
    for (const { scopeMetrics } of body.resourceMetrics ?? [])
      for (const scope of scopeMetrics ?? [])
        for (const metric of scope.metrics ?? []) {
          const { dataPoints } = metric.histogram ?? metric.sum ?? metric.gauge ?? {}
          if (!Array.isArray(dataPoints)) faults.push(`no points of ${metric.name}`)
          const points = (dataPoints ?? []).map((point: Record<string, unknown>) => ({
            attributes: named(point.attributes as KeyValue[]),
            ...(point.count !== undefined && { count: Number(point.count), sum: Number(point.sum) }),
            ...(point.count === undefined && { value: Number(point.asDouble ?? point.asInt) }),
          }))
          metrics.set(metric.name, points)
        }
  }

  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url)
      headers.push(request.headers)
      if (request.method !== 'POST' || !request.headers.get('content-type')?.startsWith('application/json')) faults.push('no JSON')
      const body = await request.json()
      if (status !== 200) return new Response('{}', { status })
      if (pathname === '/v1/traces') takeTraces(body)
      else if (pathname === '/v1/metrics') takeMetrics(body)
      else faults.push(`unknown address ${pathname}`)
      return Response.json({ partialSuccess: {} })
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    spans,
    metrics,
    faults,
    headers,
    answer(next) {
      status = next
    },
    close: () => server.stop(true),
  }
}
