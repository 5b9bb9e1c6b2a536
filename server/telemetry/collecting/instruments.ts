/** Measurements of finished requests by the semantic conventions. Read: https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-metrics/. */
import type { Meter } from '@opentelemetry/api'
import type { FinishedRequest } from '#telemetry/finished-request'
import { commonFacts } from './span-facts.ts'

const seconds = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92]
const firstSeconds = [0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
const tokens = [1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864]

/** `openRequests` and `droppedSpans` are asked when the metrics go out. */
export function createInstruments(meter: Meter, sources: { openRequests(): number; droppedSpans(): number }) {
  const histogram = (name: string, unit: string, description: string, explicitBucketBoundaries: number[]) =>
    meter.createHistogram(name, { unit, description, advice: { explicitBucketBoundaries } })
  const duration = histogram('gen_ai.server.request.duration', 's', 'From the arrival of a request to its end.', seconds)
  const first = histogram('gen_ai.server.time_to_first_token', 's', 'From the arrival of a request to its first token.', firstSeconds)
  const used = histogram('gen_ai.client.token.usage', '{token}', 'Tokens of a request, by kind.', tokens)
  const cost = meter.createCounter('parley.cost', { unit: '{USD}', description: 'What requests cost.' })
  const failures = meter.createCounter('parley.failed_attempts', { unit: '{attempt}', description: 'Attempts that failed.' })
  meter
    .createObservableGauge('parley.open_requests', { unit: '{request}', description: 'Requests and sessions that are not settled.' })
    .addCallback((result) => result.observe(sources.openRequests()))
  meter
    .createObservableCounter('parley.dropped_spans', { unit: '{span}', description: 'Spans that did not reach the collector.' })
    .addCallback((result) => result.observe(sources.droppedSpans()))

  return {
    /** Counts a finished request. */
    observe(request: FinishedRequest): void {
      const facts = commonFacts(request)
      duration.record(request.totalMs / 1000, facts)
      if (request.firstTokenMs !== undefined) first.record(request.firstTokenMs / 1000, facts)
      if (request.usage) {
        used.record(request.usage.input, { ...facts, 'gen_ai.token.type': 'input' })
        used.record(request.usage.output, { ...facts, 'gen_ai.token.type': 'output' })
      }
      if (request.cost > 0)
        cost.add(request.cost, { 'gen_ai.provider.name': facts['gen_ai.provider.name'] ?? '', 'gen_ai.request.model': request.model })
      for (const { channel, cause } of request.failures) failures.add(1, { 'parley.channel': channel, 'error.type': cause ?? '' })
    },
  }
}
