/** The spans of a finished request, whole as an exporter takes them: a tracer that builds them step by step would take three times as long. */
import type { HrTime } from '@opentelemetry/api'
import { SpanKind, SpanStatusCode } from '@opentelemetry/api'
import type { Resource } from '@opentelemetry/resources'
import type { ReadableSpan } from '@opentelemetry/sdk-trace'
import type { NewLog } from '#store/ledger/ledger'
import { attemptFacts, type Facts, operationOf, requestFacts } from './span-facts.ts'
import type { TracedRequest } from './traced-requests.ts'

/** Who says what the spans say. */
export interface SpanOrigin {
  resource: Resource
  instrumentationScope: { name: string; version: string }
  /** The vendor of a channel by its name. */
  vendorOf(channel: string): string | undefined
}

/** Milliseconds, since the epoch or of a duration. */
const timeOf = (ms: number): HrTime => [Math.floor(ms / 1000), Math.round((ms % 1000) * 1e6)]

const contextOf = (traceId: string, spanId: string, isRemote = false) => ({ traceId, spanId, traceFlags: 1, isRemote })

/** The request's own span first, then one for each attempt. */
export function requestSpans(row: NewLog, request: TracedRequest, origin: SpanOrigin): ReadableSpan[] {
  const { traceId, parent } = request
  const startedAt = row.at.getTime()
  const own = contextOf(traceId, request.spanId)
  const common = {
    links: [],
    ended: true,
    resource: origin.resource,
    instrumentationScope: origin.instrumentationScope,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  }
  const operation = operationOf(row)
  const spans: ReadableSpan[] = [
    {
      ...common,
      name: `${operation} ${row.model}`.trim(),
      kind: SpanKind.SERVER,
      spanContext: () => own,
      ...(parent && { parentSpanContext: contextOf(traceId, parent.spanId, true) }),
      ...lasting(startedAt, row.totalMs),
      status: statusOf(row.error?.code),
      attributes: requestFacts(row, row.channel == null ? undefined : origin.vendorOf(row.channel)),
      events: eventsOf(row, startedAt),
    },
  ]
  for (const { row: attempt, spanId, startedAt: begunAt } of request.attempts) {
    const context = contextOf(traceId, spanId)
    spans.push({
      ...common,
      name: `${operation} ${attempt.model ?? row.model}`.trim(),
      kind: SpanKind.CLIENT,
      spanContext: () => context,
      parentSpanContext: own,
      ...lasting(begunAt, attempt.ms),
      status: statusOf(attempt.cause ?? undefined),
      attributes: attemptFacts(attempt, row, origin.vendorOf(attempt.channel)),
      events: [],
    })
  }
  return spans
}

const lasting = (from: number, ms: number) => ({ startTime: timeOf(from), endTime: timeOf(from + ms), duration: timeOf(ms) })

const statusOf = (code: string | undefined) =>
  code === undefined ? { code: SpanStatusCode.UNSET } : { code: SpanStatusCode.ERROR, message: code }

function eventsOf(row: NewLog, startedAt: number): ReadableSpan['events'] {
  const event = (name: string, ms: number, attributes: Facts) => ({
    name,
    time: timeOf(startedAt + ms),
    attributes,
    droppedAttributesCount: 0,
  })
  return [
    ...(row.firstTokenMs == null ? [] : [event('gen_ai.first_token', row.firstTokenMs, {})]),
    ...(row.losses ?? []).map(({ field, what, reason }) => event('parley.loss', row.totalMs, { field, what, reason })),
  ]
}
