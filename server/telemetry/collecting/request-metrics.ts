/**
 * Measurements of finished requests by the semantic conventions, counted in plain numbers: OpenTelemetry's own instruments sort and
 * serialise the attributes of each measurement. Its reader collects the sums on each export.
 * Read: https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-metrics/.
 */
import { type Attributes, type HrTime, ValueType } from '@opentelemetry/api'
import type { Resource } from '@opentelemetry/resources'
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type Histogram,
  InstrumentType,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics'
import type { MeasuredFacts } from '#telemetry/measurement'

/** Counted requests. */
export interface RequestMetrics extends MetricProducer {
  /** A counter for finished requests with these facts. */
  of(facts: MeasuredFacts): CountRequest
}

/** Counts one: milliseconds until its end and its first token, tokens, and USD; NaN where there are none. */
export type CountRequest = (ms: number, firstMs: number, input: number, output: number, usd: number) => void

/** Dependencies. */
export interface RequestMetricsParts {
  resource: Resource
  scope: { name: string; version: string }
  /** Milliseconds since the epoch. */
  now(): number
  /** Whether sums are cumulative or reset with each export. */
  temporalityOf(instrument: InstrumentType): AggregationTemporality
}

const seconds = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92]
const firstSeconds = [0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
const tokens = [1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864]

/** Most attribute sets of a metric, OpenTelemetry's own limit; later ones share one series. */
const mostSeries = 2_000
const overflow: Attributes = { 'otel.metric.overflow': true }

/** Nothing yet. */
export function createRequestMetrics({ resource, scope, now, temporalityOf }: RequestMetricsParts): RequestMetrics {
  const timed = { now, temporalityOf }
  const duration = histogram('gen_ai.server.request.duration', 's', 'From the arrival of a request to its end.', seconds, timed)
  const first = histogram(
    'gen_ai.server.time_to_first_token',
    's',
    'From the arrival of a request to its first token.',
    firstSeconds,
    timed,
  )
  const used = histogram('gen_ai.client.token.usage', '{token}', 'Tokens of a request, by kind.', tokens, timed)
  const cost = counter('parley.cost', '{USD}', 'What requests cost.', timed)
  const failures = counter('parley.failed_attempts', '{attempt}', 'Attempts that failed.', timed)
  const metrics = [duration, first, used, cost, failures]

  return {
    of(facts) {
      const { provider, model } = facts
      const name = `${facts.operation}\n${provider}\n${model}\n${facts.responseModel}\n${facts.error}`
      const [inputName, outputName, modelName] = [`input\n${name}`, `output\n${name}`, `${provider}\n${model}`]
      const attributes = () => attributesOf(facts)
      const ofTokens = (type: string) => () => ({ ...attributes(), 'gen_ai.token.type': type })
      const [ofInput, ofOutput] = [ofTokens('input'), ofTokens('output')]
      const ofModel = () => ({ 'gen_ai.provider.name': provider, 'gen_ai.request.model': model ?? '' })
      const failed = (facts.failures ?? []).map(
        ([channel, cause]) => [`${channel}\n${cause}`, () => ({ 'parley.channel': channel, 'error.type': cause })] as const,
      )
      return (ms, firstMs, input, output, usd) => {
        duration.add(name, attributes, ms / 1000)
        if (firstMs >= 0) first.add(name, attributes, firstMs / 1000)
        if (input >= 0) used.add(inputName, ofInput, input)
        if (output >= 0) used.add(outputName, ofOutput, output)
        if (usd > 0) cost.add(modelName, ofModel, usd)
        for (const [its, facts] of failed) failures.add(its, facts, 1)
      }
    },
    collect: async () => ({
      resourceMetrics: { resource, scopeMetrics: [{ scope, metrics: metrics.map(({ take }) => take()) }] },
      errors: [],
    }),
  }
}

/** Attributes of a request's measurements: low cardinality except for the model. */
const attributesOf = ({ operation, provider, model, responseModel, error }: MeasuredFacts): Attributes => ({
  'gen_ai.operation.name': operation,
  'gen_ai.provider.name': provider,
  ...(model !== undefined && { 'gen_ai.request.model': model }),
  ...(responseModel !== undefined && { 'gen_ai.response.model': responseModel }),
  ...(error !== undefined && { 'error.type': error }),
})

type Timed = Pick<RequestMetricsParts, 'now' | 'temporalityOf'>

interface Metric {
  /** Adds a value to the series of this name; `attributes` is called only for a new one. */
  add(name: string, attributes: () => Attributes, value: number): void
  /** The data of an export. */
  take(): MetricData
}

function histogram(name: string, unit: string, description: string, boundaries: number[], timed: Timed): Metric {
  const made = (): Histogram => ({
    buckets: { boundaries, counts: Array.from({ length: boundaries.length + 1 }, () => 0) },
    ...{ sum: 0, count: 0, min: Number.POSITIVE_INFINITY, max: Number.NEGATIVE_INFINITY },
  })
  const points = series(InstrumentType.HISTOGRAM, made, timed)
  return {
    add(its, attributes, value) {
      const point = points.at(its, attributes)
      const into = boundaries.findIndex((boundary) => value <= boundary)
      const at = into < 0 ? boundaries.length : into
      const { value: counted } = point
      const { counts } = counted.buckets
      counts[at] = (counts[at] ?? 0) + 1
      counted.count += 1
      counted.sum = (counted.sum ?? 0) + value
      if (value < (counted.min ?? Number.POSITIVE_INFINITY)) counted.min = value
      if (value > (counted.max ?? Number.NEGATIVE_INFINITY)) counted.max = value
    },
    take: () => ({
      descriptor: { name, unit, description, valueType: ValueType.DOUBLE },
      dataPointType: DataPointType.HISTOGRAM,
      ...points.take((value) => ({ ...value, buckets: { boundaries, counts: [...value.buckets.counts] } })),
    }),
  }
}

function counter(name: string, unit: string, description: string, timed: Timed): Metric {
  const points = series(InstrumentType.COUNTER, () => 0, timed)
  return {
    add(its, attributes, value) {
      points.at(its, attributes).value += value
    },
    take: () => ({
      descriptor: { name, unit, description, valueType: ValueType.DOUBLE },
      ...{ dataPointType: DataPointType.SUM, isMonotonic: true },
      ...points.take((value) => value),
    }),
  }
}

/** Values by the name of their series, since the start, or since the last export. */
function series<Value>(instrument: InstrumentType, made: () => Value, { now, temporalityOf }: Timed) {
  let points = new Map<string, { attributes: Attributes; value: Value }>()
  let since = timeOf(now())

  function newPoint(name: string, attributes: Attributes) {
    const point = { attributes, value: made() }
    points.set(name, point)
    return point
  }

  return {
    at(name: string, attributes: () => Attributes) {
      const known = points.get(name)
      if (known !== undefined) return known
      if (points.size < mostSeries - 1) return newPoint(name, attributes())
      return points.get('') ?? newPoint('', overflow)
    },
    take(copy: (value: Value) => Value): { aggregationTemporality: AggregationTemporality; dataPoints: DataPoint<Value>[] } {
      const aggregationTemporality = temporalityOf(instrument)
      const [startTime, endTime] = [since, timeOf(now())]
      const dataPoints = [...points.values()].map(({ attributes, value }) => ({ startTime, endTime, attributes, value: copy(value) }))
      if (aggregationTemporality === AggregationTemporality.DELTA) {
        points = new Map()
        since = endTime
      }
      return { aggregationTemporality, dataPoints }
    },
  }
}

const timeOf = (ms: number): HrTime => [Math.floor(ms / 1000), (ms % 1000) * 1e6]
