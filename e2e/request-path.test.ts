/** How much code one warm converted stream enters before its upstream is called, and what is done for each event. The counts may only fall. */
import { expect, test } from 'bun:test'
import { traceRequest } from '#testing/program/request-trace'

/** What was measured last. */
const most = { files: 60, functions: 342, roomChanges: 46, parses: 1, awaits: 38, objects: 337 }
/** Events that come alone: some come together, so that their figures are no whole numbers. */
const mostOf = { converted: { awaits: 7, objects: 20, writes: 1 }, passed: { awaits: 7, objects: 16, writes: 1 } }

test('a converted stream enters no more than it did', async () => {
  const { trace, converted, passed } = await traceRequest()
  const { files, functions, roomChanges, parses, awaits, objects } = trace
  console.log({ functions, awaits, objects, converted, passed })
  expect(files.length).toBeLessThanOrEqual(most.files)
  expect(functions).toBeLessThanOrEqual(most.functions)
  expect(roomChanges).toBeLessThanOrEqual(most.roomChanges)
  expect(parses).toBeLessThanOrEqual(most.parses)
  expect(awaits).toBeLessThanOrEqual(most.awaits)
  expect(objects).toBeLessThanOrEqual(most.objects)
  for (const [work, limit] of [
    [converted, mostOf.converted],
    [passed, mostOf.passed],
  ] as const) {
    expect(work.awaits).toBeLessThanOrEqual(limit.awaits)
    expect(work.objects).toBeLessThanOrEqual(limit.objects)
    expect(work.writes).toBeLessThanOrEqual(limit.writes)
    // It counts at all.
    expect(work.writes).toBeGreaterThan(0.2)
  }
}, 180_000)
