import { expect, test } from 'bun:test'
import { isPrice, typedPrice } from './typed-price.ts'

test('a typed price has its tiers and factors, and nothing that is empty', () => {
  const amounts = { input: ' 1 ', output: '', request: '0.5' }
  expect(typedPrice(amounts, [], [])).toEqual({ price: { input: '1', request: '0.5' } })
  expect(typedPrice(amounts, [{ above: '200,000', output: '3' }], [{ name: 'speed', word: 'Fast', times: '6' }])).toEqual({
    price: { input: '1', request: '0.5', tiers: [{ above: 200_000, output: '3' }], factors: { speed: { fast: '6' } } },
  })
  expect(typedPrice(amounts, [{ above: '' }], [])).toEqual({ wrong: 'tiers' })
  expect(typedPrice(amounts, [], [{ name: 'speed', word: 'fast', times: '' }])).toEqual({ wrong: 'factors' })
})

test('what the API would refuse is not a price', () => {
  expect(isPrice({ input: '1', tiers: [{ above: 10, input: '2' }], factors: { speed: { fast: '6' } } })).toBe(true)
  expect(isPrice({ request: '1' })).toBe(true)
  expect(isPrice({})).toBe(false)
  expect(isPrice({ input: 'much' })).toBe(false)
  expect(isPrice({ output: '1' })).toBe(false)
  expect(isPrice({ request: '1', tiers: [{ above: 10, input: '2' }] })).toBe(false)
  expect(isPrice({ input: '1', tiers: [{ above: 10, input: '2,5' }] })).toBe(false)
})
