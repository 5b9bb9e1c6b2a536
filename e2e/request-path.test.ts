/** How much code one warm converted stream enters before its upstream is called. The counts may only fall. */
import { expect, test } from 'bun:test'
import { traceRequest } from '#testing/program/request-trace'

/** What was measured last. */
const most = { files: 60, functions: 348, roomChanges: 46, parses: 1 }

test('a converted stream enters no more than it did', async () => {
  const { files, functions, roomChanges, parses } = await traceRequest()
  expect(files.length).toBeLessThanOrEqual(most.files)
  expect(functions).toBeLessThanOrEqual(most.functions)
  expect(roomChanges).toBeLessThanOrEqual(most.roomChanges)
  expect(parses).toBeLessThanOrEqual(most.parses)
}, 180_000)
