import { expect, test } from 'bun:test'
import { shownFields, tiersOf, tokensOf, typedTiers } from './tiers.ts'

test('tiers come back as they were, and empty prices are left out', () => {
  const tiers = [{ above: 200_000, input: '2.5', output: '15' }]
  expect(tiersOf(typedTiers(tiers))).toEqual(tiers)
  expect(tiersOf([{ above: '200,000', input: ' 2.5 ', output: '' }])).toEqual([{ above: 200_000, input: '2.5' }])
  expect(tiersOf([])).toEqual([])
})

test('a tier needs a whole number of tokens', () => {
  expect(['200000', '200 000', '200,000', '0', '', 'many', '1e6', '-5'].map(tokensOf)).toEqual([
    ...[200_000, 200_000, 200_000],
    ...[undefined, undefined, undefined, undefined, undefined],
  ])
  expect(tiersOf([{ above: '' }])).toBeUndefined()
})

test('a tier shows the prices that the model has', () => {
  expect(shownFields({ above: '1' }, { input: '1', cacheRead: '0.1', reasoning: ' ' })).toEqual(['input', 'output', 'cacheRead'])
  expect(shownFields({ above: '1', audioIn: '3' }, {})).toEqual(['input', 'output', 'audioIn'])
})
