import { expect, test } from 'bun:test'
import { sameValue } from './same-value.ts'

test.each<[unknown, unknown, boolean]>([
  [{ a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 }, true],
  [{ a: undefined, b: 1 }, { b: 1 }, true],
  [{ a: undefined }, { b: 1 }, false],
  [{ a: undefined, b: 1 }, { a: 1, b: undefined }, false],
  [[1, 2], [2, 1], false],
  [[1], [1, 2], false],
  [[], {}, false],
  [null, {}, false],
  ['1', 1, false],
  [1n, 1n, true],
  [{ toString: 1 }, {}, false],
])('%p and %p: %p', (a, b, expected) => {
  expect(sameValue(a, b)).toBe(expected)
  expect(sameValue(b, a)).toBe(expected)
})
