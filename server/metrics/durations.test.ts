/** What a scrape reads of durations is what the library's own histogram would say. */
import { expect, test } from 'bun:test'
import { Histogram, Registry } from 'prom-client'
import { addDuration, durationSums, registerDurations } from './durations.ts'

const boundaries = [0.05, 0.1, 1, 10]

test('the text of the registry is that of its own histogram', async () => {
  const [own, theirs] = [new Registry(), new Registry()]
  const sums = new Map(['true', 'false'].map((stream) => [stream, durationSums(boundaries)]))
  const kept = [...sums].map(([stream, its]) => ({ labels: { operation: 'a "name"\n', stream }, sums: its }))
  registerDurations(own, 'seconds', 'How long.', () => kept)
  const reference = new Histogram({
    ...{ name: 'seconds', help: 'How long.', labelNames: ['operation', 'stream'], registers: [theirs], buckets: boundaries },
  })
  for (const [stream, seconds] of [
    ...(['true', 'false'] as const).map((each) => [each, 0] as const),
    ...[0.05, 0.0501, 0.1, 1, 9.99, 10, 11, 1e6].map((each) => ['true', each] as const),
    ...(['false', 'false'] as const).map((each) => [each, 0.2] as const),
  ]) {
    const its = sums.get(stream)
    if (its) addDuration(its, seconds)
    reference.observe({ operation: 'a "name"\n', stream }, seconds)
  }
  expect(await own.metrics()).toBe(await theirs.metrics())
})
