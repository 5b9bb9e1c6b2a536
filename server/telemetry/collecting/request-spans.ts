/** The spans of a finished request, whole as an exporter takes them: a tracer that builds them step by step would take three times as long. */
import type { HrTime } from '@opentelemetry/api'
import { SpanKind, SpanStatusCode } from '@opentelemetry/api'
import type { Resource } from '@opentelemetry/resources'
import type { ReadableSpan } from '@opentelemetry/sdk-trace'
import type { FinishedRequest, FinishedTrace } from '#telemetry/finished-request'
import { attemptFacts, type Facts, operationOf, requestFacts } from './span-facts.ts'

/** Who says what the spans say. */
export interface SpanOrigin {
  resource: Resource
  instrumentationScope: { name: string; version: string }
}

/** Milliseconds, since the epoch or of a duration. */
const timeOf = (ms: number): HrTime => [Math.floor(ms / 1000), Math.round((ms % 1000) * 1e6)]

const contextOf = (traceId: string, spanId: string, isRemote = false) => ({ traceId, spanId, traceFlags: 1, isRemote })

/** The request's own span first, then one for each attempt. */
export function requestSpans(request: FinishedRequest, trace: FinishedTrace, origin: SpanOrigin): ReadableSpan[] {
  const { traceId, parent } = trace
  const own = contextOf(traceId, trace.spanId)
  const common = {
    links: [],
    ended: true,
    resource: origin.resource,
    instrumentationScope: origin.instrumentationScope,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  }
  const operation = operationOf(request)
  const spans: ReadableSpan[] = [
    {
      ...common,
      name: `${operation} ${request.model}`.trim(),
      kind: SpanKind.SERVER,
      spanContext: () => own,
      ...(parent && { parentSpanContext: contextOf(traceId, parent.spanId, true) }),
      ...lasting(request.at, request.totalMs),
      status: statusOf(request.error),
      attributes: requestFacts(request),
      events: eventsOf(request),
    },
  ]
  for (const attempt of trace.attempts) {
    const context = contextOf(traceId, attempt.spanId)
    spans.push({
      ...common,
      name: `${operation} ${attempt.model ?? request.model}`.trim(),
      kind: SpanKind.CLIENT,
      spanContext: () => context,
      parentSpanContext: own,
      ...lasting(attempt.startedAt, attempt.ms),
      status: statusOf(attempt.cause ?? undefined),
      attributes: attemptFacts(attempt, request),
      events: [],
    })
  }
  return spans
}

const lasting = (from: number, ms: number) => ({ startTime: timeOf(from), endTime: timeOf(from + ms), duration: timeOf(ms) })

const statusOf = (code: string | undefined) =>
  code === undefined ? { code: SpanStatusCode.UNSET } : { code: SpanStatusCode.ERROR, message: code }

function eventsOf({ at, firstTokenMs, losses, totalMs }: FinishedRequest): ReadableSpan['events'] {
  const event = (name: string, ms: number, attributes: Facts) => ({
    name,
    time: timeOf(at + ms),
    attributes,
    droppedAttributesCount: 0,
  })
  return [
    ...(firstTokenMs === undefined ? [] : [event('gen_ai.first_token', firstTokenMs, {})]),
    ...losses.map(({ field, what, reason }) => event('parley.loss', totalMs, { field, what, reason })),
  ]
}
