/** How much code one warm converted stream enters before its upstream is called. The counts may only fall. */
import { expect, test } from 'bun:test'
import { traceRequest } from '#testing/program/request-trace'

/** The last measurement; the goal is 60 files, 60 room changes and one parse. */
const most = { files: 110, functions: 387, roomChanges: 154, parses: 2 }

test('a converted stream enters no more than it did', async () => {
  const { files, functions, roomChanges, parses } = await traceRequest()
  expect(files.length).toBeLessThanOrEqual(most.files)
  expect(functions).toBeLessThanOrEqual(most.functions)
  expect(roomChanges).toBeLessThanOrEqual(most.roomChanges)
  expect(parses).toBeLessThanOrEqual(most.parses)
}, 180_000)
