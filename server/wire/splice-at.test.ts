import { expect, test } from 'bun:test'
import { spliceAt } from './splice-at.ts'

test.each([
  ['{ "a" : {"b": 1, "c":"x"} }', '{ "a" : {"b": 2, "c":"x"} }'],
  ['{"A":{"b":[1]}}', '{"A":{"b":2}}'],
  ['{"\\u0061":{"b":1}}', '{"\\u0061":{"b":2}}'],
  ['{"a":{"c":1}}', '{"a":{"c":1}}'],
  ['{"a":[{"b":1}]}', '{"a":[{"b":1}]}'],
  ['{"b":1}', '{"b":1}'],
])('%s', (json, wanted) => {
  expect(spliceAt(json, [['a', 'A'], ['b']], () => '2')).toBe(wanted)
})
