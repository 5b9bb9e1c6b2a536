import { expect, test } from 'bun:test'
import { formatUsd, parseRatio } from '#shared/money'
import { costOfSums } from './effect.ts'
import { resolveRates } from './rates.ts'

const sums = {
  requests: 12,
  errors: 2,
  tokens: {
    in: { fresh: 1_000_000, cacheRead: 2_000_000, cacheWrite: 0, audio: 0, image: 0 },
    out: { total: 500_000, reasoning: 100_000, audio: 0, image: 0 },
  },
  units: { images: 3, seconds: 0, characters: 0, searches: 0 },
}
const usd = (fields: Parameters<typeof resolveRates>[0], ratio = '1') =>
  formatUsd(costOfSums(resolveRates(fields), sums, parseRatio(ratio)))

test('a price applied to sums, with what falls back, and the ratio of a group', () => {
  expect(usd({ input: '1', output: '2' })).toBe('4')
  expect(usd({ input: '1', output: '2' }, '0.5')).toBe('2')
  expect(usd({ input: '1', output: '2', reasoning: '12', cacheRead: '0.1', request: '0.01', image: '0.04' })).toBe('3.42')
  expect(usd({ input: '0', output: '0' })).toBe('0')
})

test('tiers are not guessed: sums do not say which requests were long', () => {
  expect(usd({ input: '1', output: '2', tiers: [{ above: 100, input: '100' }] })).toBe('4')
})
