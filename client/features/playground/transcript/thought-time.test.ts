import { expect, test } from 'bun:test'
import { thoughtTime } from './thought-time.ts'

test('reasoning is never longer than the reply, and an unmeasured time is not shown', () => {
  expect(thoughtTime({ reasoningMs: 120, totalMs: 310 })).toEqual(['thoughtBriefly', 0])
  expect(thoughtTime({ reasoningMs: null, totalMs: 310 })).toEqual(['thoughtBriefly', 0])
  expect(thoughtTime({ reasoningMs: null, totalMs: 9_000 })).toEqual(['reasoning', 0])
  expect(thoughtTime({ reasoningMs: 2_600, totalMs: 9_000 })).toEqual(['thought', 3])
})
