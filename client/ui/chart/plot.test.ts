import { expect, test } from 'bun:test'
import { stackOf } from './plot.ts'

test('a stack is the sum of everything below it, and missing values add nothing', () => {
  const series = [
    { label: 'a', values: [1, 2, null] },
    { label: 'b', values: [10, null, 30] },
  ]
  expect(stackOf(series)).toEqual([
    [1, 2, 0],
    [11, 2, 30],
  ])
})
