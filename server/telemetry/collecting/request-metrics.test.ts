/** Counted requests, compared with what OpenTelemetry's own instruments make of the same. */
import { expect, test } from 'bun:test'
import type { Attributes } from '@opentelemetry/api'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { AggregationTemporality, type CollectionResult, type Histogram, MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics'
import type { Measured, MeasuredFacts } from '#telemetry/measurement'
import { seeded } from '#testing/seeded'
import { createRequestMetrics } from './request-metrics.ts'

class Reader extends MetricReader {
  protected override onForceFlush = async () => undefined
  protected override onShutdown = async () => undefined
}

function counting(temporality = AggregationTemporality.CUMULATIVE) {
  const resource = resourceFromAttributes({})
  return createRequestMetrics({ resource, scope: { name: 'parley', version: '1' }, now: Date.now, temporalityOf: () => temporality })
}

interface Point {
  attributes: Attributes
  value: Histogram | number
}

/** Points by metric and attributes, without times. */
async function pointsOf({ collect }: { collect(): Promise<CollectionResult> }): Promise<Record<string, unknown>> {
  const { scopeMetrics } = (await collect()).resourceMetrics
  const points = scopeMetrics.flatMap(({ metrics }) =>
    metrics.flatMap(({ descriptor, aggregationTemporality, dataPoints }) =>
      (dataPoints as Point[]).map(({ attributes, value }) => {
        const labels = Object.entries(attributes).sort(([a], [b]) => (a < b ? -1 : 1))
        return [`${descriptor.name} ${JSON.stringify(labels)}`, { aggregationTemporality, value: rounded(value) }] as const
      }),
    ),
  )
  return Object.fromEntries(points)
}
/** Sums of fractions depend on their order. */
const rounded = (value: unknown) =>
  JSON.parse(JSON.stringify(value, (_, each) => (typeof each === 'number' ? Number(each.toPrecision(9)) : each)))

const { pick, below, fraction } = seeded(7)
const none = Number.NaN
const value = (): Measured => [
  pick([10, 20, 81_920, fraction() * 200_000]),
  pick([none, 1, below(20_000)]),
  pick([none, 0, 1, 4, below(1e8)]),
  7,
  pick([0, 0.25]),
]
interface Measurements extends MeasuredFacts {
  values: Measured[]
}
const measured = (): Measurements => ({
  ...{ operation: pick(['chat', 'embeddings']), provider: pick(['openai', 'parley']), model: pick(['a', 'b']) },
  ...{ responseModel: pick([undefined, 'c']), error: pick([undefined, 'overloaded']) },
  values: pick([[value()], [value(), value(), value()]]),
  failures: pick([undefined, [['one', 'upstream_timeout'] as const]]),
})

/** The same by OpenTelemetry's own instruments, with explicit boundaries. */
async function theirs(temporality: AggregationTemporality) {
  const sample = counting()
  sample.of(measured())(1, 1, 1, 1, 1)
  const reader = new Reader({ aggregationTemporalitySelector: () => temporality })
  const meter = new MeterProvider({ readers: [reader] }).getMeter('parley')
  const { metrics = [] } = (await sample.collect()).resourceMetrics.scopeMetrics[0] ?? {}
  const boundaries = new Map(
    metrics.map(({ descriptor, dataPoints }) => [
      descriptor.name,
      (dataPoints[0]?.value as Partial<Histogram> | undefined)?.buckets?.boundaries,
    ]),
  )
  const histogram = (name: string) => meter.createHistogram(name, { advice: { explicitBucketBoundaries: boundaries.get(name) ?? [] } })
  const [duration, first] = [histogram('gen_ai.server.request.duration'), histogram('gen_ai.server.time_to_first_token')]
  const tokens = histogram('gen_ai.client.token.usage')
  const [cost, failed] = [meter.createCounter('parley.cost'), meter.createCounter('parley.failed_attempts')]
  const observe = (each: Measurements) => {
    const facts: Attributes = { 'gen_ai.operation.name': each.operation, 'gen_ai.provider.name': each.provider }
    if (each.model !== undefined) facts['gen_ai.request.model'] = each.model
    if (each.responseModel !== undefined) facts['gen_ai.response.model'] = each.responseModel
    if (each.error !== undefined) facts['error.type'] = each.error
    for (const [ms, firstMs, input, output, usd] of each.values) {
      duration.record(ms / 1000, facts)
      if (firstMs >= 0) first.record(firstMs / 1000, facts)
      if (input >= 0) tokens.record(input, { ...facts, 'gen_ai.token.type': 'input' })
      if (output >= 0) tokens.record(output, { ...facts, 'gen_ai.token.type': 'output' })
      if (usd > 0) cost.add(usd, { 'gen_ai.provider.name': each.provider, 'gen_ai.request.model': each.model ?? '' })
      for (const [channel, cause] of each.failures ?? []) failed.add(1, { 'parley.channel': channel, 'error.type': cause })
    }
  }
  return { observe, collect: () => reader.collect() }
}

test.each([
  ['cumulative', AggregationTemporality.CUMULATIVE],
  ['delta', AggregationTemporality.DELTA],
] as const)('%s: as OpenTelemetry’s own instruments count', async (_, temporality) => {
  const [ours, other] = [counting(temporality), await theirs(temporality)]
  const many = Array.from({ length: 600 }, measured)
  for (const lot of [many.slice(0, 400), many.slice(400)]) {
    for (const each of lot) {
      const count = ours.of(each)
      for (const one of each.values) count(...one)
      other.observe(each)
    }
    const counted = await pointsOf(ours)
    expect(Object.keys(counted).length).toBeGreaterThan(50)
    expect(counted).toEqual(await pointsOf(other))
  }
})

test('models without end are one series after two thousand', async () => {
  const counted = counting()
  const { operation, provider } = measured()
  for (let at = 0; at < 2_500; at += 1) counted.of({ operation, provider, model: `m${at}` })(1, none, none, none, 0)
  const points = Object.entries(await pointsOf(counted))
  expect(points.length).toBe(2_000)
  expect(points.find(([name]) => name.includes('otel.metric.overflow'))?.[1]).toMatchObject({ value: { count: 501 } })
})
