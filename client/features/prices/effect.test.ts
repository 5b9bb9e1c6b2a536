import { expect, test } from 'bun:test'
import { costOf } from './effect.ts'

const sums = {
  requests: 10,
  tokens: {
    in: { fresh: 1_000_000, cacheRead: 2_000_000, cacheWrite: 0, audio: 0, image: 0 },
    out: { total: 500_000, reasoning: 0, audio: 0, image: 0 },
  },
  units: { images: 3, seconds: 0, characters: 0, searches: 0 },
}

test('a price applied to sums, with what falls back', () => {
  expect(costOf({ input: '1', output: '2' }, sums)).toBe('4')
  expect(costOf({ input: '1', output: '2', cacheRead: '0.1', request: '0.01', image: '0.04' }, sums)).toBe('2.42')
  expect(costOf({ input: '0', output: '0' }, sums)).toBe('0')
  expect(costOf({ input: 'a lot' }, sums)).toBeUndefined()
})
