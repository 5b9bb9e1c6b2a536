/** Spans that are text already, sent by OpenTelemetry's own exporter: it reads `OTEL_EXPORTER_OTLP_*`, compresses, and repeats. */
import { convertLegacyHttpOptions, createOtlpHttpExportDelegate } from '@opentelemetry/otlp-exporter-base/node-http'
import type { SpanExporter, SpanLot } from './span-queue.ts'

/** Who says what the spans say. */
export interface SpanOrigin {
  resource: Record<string, string>
  scope: { name: string; version: string }
}

const encoder = new TextEncoder()

/** Sends to the collector that the environment names. */
export function createSpanExporter({ resource, scope }: SpanOrigin): SpanExporter {
  const attributes = Object.entries(resource).map(([key, stringValue]) => ({ key, value: { stringValue } }))
  const head = `{"resourceSpans":[{"resource":${JSON.stringify({ attributes })},"scopeSpans":[{"scope":${JSON.stringify(scope)},"spans":[`
  return createOtlpHttpExportDelegate(
    convertLegacyHttpOptions({}, 'TRACES', 'v1/traces', { 'Content-Type': 'application/json' }),
    {
      serializeRequest: (lots: readonly SpanLot[]) => encoder.encode(`${head}${lots.map(({ text }) => text).join(',')}]}]}]}`),
      // What a collector says of a message that it took is of no use here.
      deserializeResponse: () => ({}),
    },
    'otlp_http_json_span_exporter',
    { name: 'span', countItems: (lots) => lots.reduce((sum, { count }) => sum + count, 0) },
    undefined,
  )
}
