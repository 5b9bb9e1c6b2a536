import { expect, test } from 'bun:test'
import { durationTicks, moneyTicks } from './ticks.ts'

test('dollars of one axis have the same decimals, none where none are needed', () => {
  expect(moneyTicks([0, 5, 10, 15])).toEqual(['$0', '$5', '$10', '$15'])
  expect(moneyTicks([0, 0.5, 1])).toEqual(['$0', '$0.50', '$1.00'])
  expect(moneyTicks([0, 0.025, 0.05])).toEqual(['$0', '$0.025', '$0.050'])
  expect(moneyTicks([0, 0.1 + 0.2])).toEqual(['$0', '$0.30'])
})

test('durations of one axis are in one unit', () => {
  expect(durationTicks([0, 200, 400])).toEqual(['0', '200 ms', '400 ms'])
  expect(durationTicks([0, 500, 1_000])).toEqual(['0', '0.5 s', '1.0 s'])
  expect(durationTicks([0, 1_000, 2_000])).toEqual(['0', '1 s', '2 s'])
})
