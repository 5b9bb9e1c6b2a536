import { describe, expect, test } from 'bun:test'
import type { PriceFields } from '#shared/console/price'
import { GatewayError } from '#shared/errors'
import { resolveRates } from './rates.ts'

function refusal(fields: PriceFields): { code: string; param: string | undefined } {
  try {
    resolveRates(fields)
  } catch (error) {
    if (error instanceof GatewayError) return { code: error.code, param: error.param }
    throw error
  }
  throw new Error('not refused')
}

describe('fallbacks', () => {
  test('two numbers are enough for tokens', () => {
    const rates = resolveRates({ input: '1.25', output: '10' })
    expect(rates).toEqual({
      input: 1_250_000_000n,
      cacheRead: 1_250_000_000n,
      cacheWrite5m: 1_250_000_000n,
      cacheWrite1h: 1_250_000_000n,
      audioIn: 1_250_000_000n,
      imageIn: 1_250_000_000n,
      output: 10_000_000_000n,
      reasoning: 10_000_000_000n,
      audioOut: 10_000_000_000n,
      imageOut: 10_000_000_000n,
      request: 0n,
      image: 0n,
      second: 0n,
      search: 0n,
      character: 0n,
      tiers: [],
    })
  })

  test('the one-hour write follows the five-minute write', () => {
    const rates = resolveRates({ input: '3', output: '15', cacheWrite5m: '3.75' })
    expect(rates.cacheWrite1h).toBe(3_750_000_000n)
    expect(resolveRates({ input: '3', output: '15', cacheWrite1h: '6' }).cacheWrite5m).toBe(3_000_000_000n)
  })

  test('each-prices are a million times themselves, characters are not', () => {
    const rates = resolveRates({ request: '0.01', image: '0.04', second: '0.0001', search: '0.000000001', character: '15' })
    expect(rates).toMatchObject({
      request: 10_000_000_000_000n,
      image: 40_000_000_000_000n,
      second: 100_000_000_000n,
      search: 1_000_000n,
      character: 15_000_000_000n,
      input: 0n,
      output: 0n,
    })
  })

  test('a tier takes what it does not name from the base, then falls back inside itself', () => {
    const rates = resolveRates({
      input: '1',
      output: '2',
      cacheRead: '0.1',
      tiers: [
        { above: 500_000, input: '9', output: '9' },
        { above: 200_000, input: '4' },
      ],
    })
    expect(rates.tiers.map((tier) => tier.above)).toEqual([200_000, 500_000])
    expect(rates.tiers[0]?.rates).toMatchObject({
      input: 4_000_000_000n,
      output: 2_000_000_000n,
      cacheRead: 100_000_000n,
      cacheWrite5m: 4_000_000_000n,
      audioIn: 4_000_000_000n,
    })
  })
})

describe('zero must be written to be free', () => {
  test('written zero is free', () => {
    expect(resolveRates({ input: '0', output: '0' })).toMatchObject({ input: 0n, output: 0n })
    expect(resolveRates({ request: '0' })).toMatchObject({ request: 0n })
  })

  test.each<[string, PriceFields, string, string | undefined]>([
    ['nothing', {}, 'missing_field', undefined],
    ['an empty list of tiers', { tiers: [] }, 'missing_field', undefined],
    ['output alone', { output: '1' }, 'missing_field', 'input'],
    ['a cache price alone', { cacheRead: '1' }, 'missing_field', 'input'],
    ['tiers without a base', { request: '1', tiers: [{ above: 5, input: '1', output: '1' }] }, 'missing_field', 'input'],
    ['a negative amount', { input: '-1', output: '1' }, 'invalid_value', 'input'],
    ['a negative amount in a tier', { input: '1', output: '1', tiers: [{ above: 5, output: '-0.1' }] }, 'invalid_value', 'tiers.0.output'],
    ['ten places', { input: '1', output: '0.0000000001' }, 'invalid_value', 'output'],
    ['no number', { input: '1e3', output: '1' }, 'invalid_value', 'input'],
    ['one threshold twice', { input: '1', output: '1', tiers: [{ above: 5 }, { above: 5 }] }, 'invalid_value', 'tiers.1.above'],
  ])('%s is refused', (_name, fields, code, param) => {
    expect(refusal(fields)).toEqual({ code, param })
  })
})
