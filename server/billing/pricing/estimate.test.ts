import { describe, expect, test } from 'bun:test'
import { type NonTextContent, onlyText } from '#canonical/non-text-content'
import type { PriceFields } from '#shared/console/price'
import { type Estimate, firstCost, growthOf, largestCost, mostExpensiveOutput } from './estimate.ts'
import { resolveRates } from './rates.ts'

const plain: Estimate = { inputBytes: 4000, n: 1, maxOutput: 100, modelMaxOutput: undefined }
const price: PriceFields = {
  ...{ input: '3', output: '15', cacheRead: '0.3', cacheWrite5m: '3.75', cacheWrite1h: '6' },
  ...{ audioIn: '40', audioOut: '80', imageIn: '5', imageOut: '30', search: '0.01' },
}
const held = (estimate: Partial<Estimate>, fields: PriceFields = price) =>
  Number(largestCost({ ...plain, ...estimate }, resolveRates(fields), 1_000_000n)) / 1000

/** Thousandths of a token at one USD a million. */
const text = 1000 * 3
const output = 100 * 15

/** One piece of so many bytes. */
function brought(kind: 'images' | 'sounds' | 'files', bytes: number, where: 'here' | 'elsewhere' = 'here'): { nonText: NonTextContent } {
  return { nonText: { ...onlyText, [kind]: { pieces: 1, bytes, elsewhere: where === 'here' ? 0 : 1 } } }
}

describe('the largest cost', () => {
  test('of text is that of its tokens, whatever else the price names', () => {
    expect(held({})).toBe(text + output)
    expect(held({ n: 3 })).toBe(text + 3 * output)
  })

  test('takes the dearest kind of output that an answer may hold', () => {
    expect(held({ makes: { image: true } })).toBe(text + 100 * 30)
    expect(held({ makes: { image: true, audio: true } })).toBe(text + 100 * 80)
    expect(held({}, { ...price, reasoning: '20' })).toBe(text + 100 * 20)
    expect(held({ makes: { image: true } }, { input: '3', output: '15', imageOut: '1' })).toBe(text + output)
  })

  test('takes what filling a cache costs, as long as it is to last', () => {
    expect(held({ cached: '5m' })).toBe(1000 * 3.75 + output)
    expect(held({ cached: '1h' })).toBe(1000 * 6 + output)
    expect(held({ cached: '1h' }, { input: '3', output: '15' })).toBe(text + output)
  })

  test('counts pieces by what they are, not by their bytes', () => {
    expect(held(brought('images', 3006))).toBeCloseTo(Math.ceil((4000 - 3006) / 4) * 3 + 5000 * 5 + output, 5)
    expect(held(brought('images', 25, 'elsewhere'))).toBeCloseTo(994 * 3 + 5000 * 5 + output, -2)
    expect(held(brought('sounds', 4000))).toBe(100 * 40 + output)
    expect(held(brought('files', 3000))).toBe(text + output)
    expect(held(brought('files', 8, 'elsewhere'))).toBe(text + 20_000 * 3 + output)
  })

  test('holds for searches: each, and what it puts into the model', () => {
    expect(held({ searches: 5 })).toBe((1000 + 5 * 8000) * 3 + output + 5 * 10_000)
  })

  test('is that of the tier which the whole input reaches', () => {
    const tiered: PriceFields = { input: '3', output: '15', tiers: [{ above: 20_000, input: '6', output: '22.5' }] }
    expect(held({}, tiered)).toBe(text + output)
    expect(held({ searches: 3 }, tiered)).toBe(25_000 * 6 + 100 * 22.5)
  })
})

test('a stream begins with a slice, and holds all of the input', () => {
  const rates = resolveRates(price)
  const first = (estimate: Partial<Estimate>) => Number(firstCost({ ...plain, ...estimate }, rates, 1_000_000n)) / 1000
  expect(first({ maxOutput: 50_000 })).toBe(text + 4096 * 15)
  expect(first({ maxOutput: 50_000, searches: 1 })).toBe(9000 * 3 + 4096 * 15 + 10_000)
})

test('its hold grows by what the first one had for output, up to the most that it can cost', () => {
  const rates = resolveRates(price)
  const grows = (estimate: Partial<Estimate>) => {
    const { step, most, slice } = growthOf({ ...plain, ...estimate }, rates, 1_000_000n)
    return [step, most, slice].map((nano) => nano && Number(nano) / 1000)
  }
  const slice = 4096 * 15
  expect(grows({ maxOutput: undefined })).toEqual([slice, undefined, slice])
  expect(grows({ maxOutput: undefined, n: 2 })).toEqual([2 * slice, undefined, slice])
  expect(grows({ maxOutput: 2048, n: 2 })).toEqual([slice, text + slice, slice])
  expect(grows({ maxOutput: 100 })).toEqual([output, text + output, slice])
  expect(grows({ maxOutput: 50_000, modelMaxOutput: 8192 })).toEqual([slice, text + 2 * slice, slice])
})

test('the dearest output, by name', () => {
  const rates = resolveRates(price)
  expect([mostExpensiveOutput(rates), mostExpensiveOutput(rates, { image: true }), mostExpensiveOutput(rates, { audio: true })]).toEqual([
    'output',
    'imageOut',
    'audioOut',
  ])
})
