/** How much code one warm converted stream enters before its upstream is called, and the work for each event. The counts may only fall. */
import { expect, test } from 'bun:test'
import { type TracedWork, traceRequest } from '#testing/program/request-trace'

/** The last measurement. */
const most = { files: 61, functions: 337, roomChanges: 47, parses: 1, awaits: 25, objects: 286 }
/** Events that come alone: some come together, so that their figures are no whole numbers. */
const mostOf = { converted: { awaits: 3, objects: 12, writes: 1 }, passed: { awaits: 3, objects: 10, writes: 1 } }

/** A whole request whose twenty events arrive in one packet. */
const mostAtOnce = { converted: { awaits: 38, objects: 826 }, passed: { awaits: 34, objects: 360 } }

/** What watching adds until the upstream is called, and to a whole request of twenty events, some of which come together. */
const mostWatched = { functions: 12, objects: 9, request: 40 }

function expectEvents({ converted, passed }: Pick<TracedWork, 'converted' | 'passed'>): void {
  for (const [work, limit] of [
    [converted, mostOf.converted],
    [passed, mostOf.passed],
  ] as const) {
    expect(work.awaits).toBeLessThanOrEqual(limit.awaits)
    expect(work.objects).toBeLessThanOrEqual(limit.objects)
    expect(work.writes).toBeLessThanOrEqual(limit.writes)
    // It counts at all. An event alone may come to nothing: on a busy machine those of a long answer come together.
    expect(work.request.writes).toBeGreaterThan(1)
  }
}

let plain: Promise<TracedWork> | undefined
/** What both tests look at, once. */
function unwatched(): Promise<TracedWork> {
  plain ??= traceRequest()
  return plain
}

test('a converted stream enters no more than it did', async () => {
  const { trace, converted, passed } = await unwatched()
  const { files, functions, roomChanges, parses, awaits, objects } = trace
  console.log({ functions, awaits, objects, converted, passed })
  expect(files.length).toBeLessThanOrEqual(most.files)
  expect(functions).toBeLessThanOrEqual(most.functions)
  expect(roomChanges).toBeLessThanOrEqual(most.roomChanges)
  expect(parses).toBeLessThanOrEqual(most.parses)
  expect(awaits).toBeLessThanOrEqual(most.awaits)
  expect(objects).toBeLessThanOrEqual(most.objects)
  expectEvents({ converted, passed })
  for (const [{ atOnce }, limit] of [
    [converted, mostAtOnce.converted],
    [passed, mostAtOnce.passed],
  ] as const) {
    // It is sent as one response: no stream is made for it.
    expect(atOnce.writes).toBe(0)
    expect(atOnce.awaits).toBeLessThanOrEqual(limit.awaits)
    expect(atOnce.objects).toBeLessThanOrEqual(limit.objects)
  }
}, 180_000)

test('metrics and the trace of every request add little to it, and nothing to an event', async () => {
  await using collector = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => Response.json({}) })
  const plain = await unwatched()
  const watched = await traceRequest({ PARLEY_METRICS: 'token:t', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url.origin })
  const more = (of: (work: TracedWork) => number) => of(watched) - of(plain)
  const [functions, objects] = [more(({ trace }) => trace.functions), more(({ trace }) => trace.objects)]
  // On a busy machine fewer events come together in one run than in the other, when they arrive or when they leave.
  const apart = Math.max(
    0,
    more(({ passed }) => passed.request.writes),
    more(({ passed }) => passed.request.awaits) / mostOf.passed.awaits,
  )
  const request = more(({ passed }) => passed.request.objects) - apart * mostOf.passed.objects
  console.log({ functions, objects, request, plain: plain.passed.request, watched: watched.passed.request })
  // It is watched at all.
  expect(functions).toBeGreaterThan(3)
  expect(functions).toBeLessThanOrEqual(mostWatched.functions)
  expect(objects).toBeLessThanOrEqual(mostWatched.objects)
  expect(more(({ trace }) => trace.awaits)).toBeLessThanOrEqual(0)
  expect(request).toBeLessThanOrEqual(mostWatched.request)
  expectEvents(watched)
}, 240_000)
