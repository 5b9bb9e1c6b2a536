/** Spans that are text already, sent by OpenTelemetry's own exporter: it reads `OTEL_EXPORTER_OTLP_*`, compresses, and repeats. */
import { convertLegacyHttpOptions, createOtlpHttpExportDelegate } from '@opentelemetry/otlp-exporter-base/node-http'
import type { SpanExporter, SpanLot } from './span-queue.ts'

/** Who says what the spans say. */
export interface SpanOrigin {
  resource: Record<string, string>
  scope: { name: string; version: string }
}

const encoder = new TextEncoder()

function joinedBytes(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

/** Sends to the collector that the environment names. */
export function createSpanExporter({ resource, scope }: SpanOrigin): SpanExporter {
  const attributes = Object.entries(resource).map(([key, stringValue]) => ({ key, value: { stringValue } }))
  const head = encoder.encode(
    `{"resourceSpans":[{"resource":${JSON.stringify({ attributes })},"scopeSpans":[{"scope":${JSON.stringify(scope)},"spans":[`,
  )
  const tail = encoder.encode(']}]}]}')
  const comma = encoder.encode(',')
  const joined = (lots: readonly Uint8Array[]) => joinedBytes([head, ...lots.flatMap((lot, at) => (at === 0 ? [lot] : [comma, lot])), tail])
  return createOtlpHttpExportDelegate(
    convertLegacyHttpOptions({}, 'TRACES', 'v1/traces', { 'Content-Type': 'application/json' }),
    {
      serializeRequest: (lots: readonly SpanLot[]) => joined(lots.map(({ bytes }) => bytes)),
      // What a collector says of a message that it took is of no use here.
      deserializeResponse: () => ({}),
    },
    'otlp_http_json_span_exporter',
    { name: 'span', countItems: (lots) => lots.reduce((sum, { count }) => sum + count, 0) },
    undefined,
  )
}
