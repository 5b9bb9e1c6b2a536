/** A bill is checked as its reader would check it: with nothing but the strings and numbers that it shows. */
import { describe, expect, test } from 'bun:test'
import { noUsage, type Usage } from '#canonical/usage'
import type { Bill } from '#shared/console/log'
import type { PriceFields } from '#shared/console/price'
import { formatRatio, formatUsd } from '#shared/money'
import { seeded } from '#testing/seeded'
import { billLine, billOf } from './bill.ts'
import { cost, partsOf } from './cost.ts'
import { resolveRates } from './rates.ts'

/** Decimal text as an integer of so many places. */
function scaled(text: string, places: number): bigint {
  const [whole = '0', fraction = ''] = text.replace('-', '').split('.')
  expect(fraction.length).toBeLessThanOrEqual(places)
  return BigInt(whole + fraction.padEnd(places, '0')) * (text.startsWith('-') ? -1n : 1n)
}

function rowOf(usage: Usage, fields: PriceFields, ratio: bigint) {
  return { usage, price: { ...fields, ratio: formatRatio(ratio) }, cost: formatUsd(cost(usage, resolveRates(fields), ratio)) }
}

/** Adds the lines up by hand, and answers what rounding added, in 10^-39 USD. */
function checked(bill: Bill): bigint {
  let sum = 0n
  for (const { amount, price, per, factor = '1' } of bill.lines)
    sum += BigInt(amount) * scaled(price, 9) * (per === 1 ? 1_000_000n : 1n) * scaled(factor, 18)
  expect(scaled(bill.sum, 33)).toBe(sum)
  const rounding = scaled(bill.rounding, 39)
  expect(sum * scaled(bill.ratio, 6) + rounding).toBe(scaled(bill.cost, 39))
  return rounding
}

const fraction = seeded(20_260_301).below
const amount = () => `${fraction(100)}.${String(fraction(1_000_000_000)).padStart(9, '0')}`
const some = (names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.filter(() => fraction(2)).map((name) => [name, amount()]))
const tokens = ['cacheRead', 'cacheWrite5m', 'cacheWrite1h', 'reasoning', 'audioIn', 'audioOut', 'imageIn', 'imageOut']

function anyPrice(): PriceFields {
  const tiers = [...new Set([fraction(1000) + 1, fraction(50_000) + 1])].map((above) => ({
    above,
    ...some(['input', 'output', ...tokens]),
  }))
  const units = some(['request', 'image', 'second', 'search', 'character'])
  return { input: amount(), output: amount(), ...some(tokens), ...units, ...(fraction(2) && { tiers }) }
}

function anyUsage(): Usage {
  const n = () => fraction(fraction(2) ? 20 : 40_000)
  return {
    ...noUsage(),
    in: { fresh: n(), cacheRead: n(), cacheWrite: { '5m': n(), '1h': n(), other: n() }, audio: n(), image: n() },
    out: { total: n(), reasoning: n(), audio: n(), image: n() },
    units: { requests: fraction(2), images: n(), seconds: n() / 7, characters: n(), searches: n() },
  }
}

describe('a bill', () => {
  test('2000 random ones: lines times ratio, rounded up once, are the cost exactly', () => {
    let tiered = 0
    for (let round = 0; round < 2000; round++) {
      const row = rowOf(anyUsage(), anyPrice(), BigInt(fraction(3_000_000)))
      const bill = billOf(row, null)
      if (!bill) throw new Error('no bill')
      const rounding = checked(bill)
      expect(rounding >= 0n && rounding < 10n ** 30n).toBe(true)
      expect(bill.cost).toBe(row.cost)
      if (bill.lines.some(({ tier }) => tier !== undefined)) tiered += 1
    }
    expect(tiered).toBeGreaterThan(200)
  })

  test('reads as a person would write it', () => {
    const usage = anyUsage()
    usage.in = { fresh: 150, cacheRead: 60, cacheWrite: { '5m': 0, '1h': 0, other: 0 }, audio: 0, image: 0 }
    usage.out = { total: 10, reasoning: 0, audio: 0, image: 0 }
    usage.units = { requests: 1, images: 2, seconds: 0, characters: 0, searches: 0 }
    const fields = { input: '1', output: '2', cacheRead: '0.1', image: '0.04', tiers: [{ above: 200, input: '3' }] }
    expect(billOf(rowOf(usage, fields, 500_000n), null)).toEqual({
      lines: [
        { unit: 'input', amount: 150, price: '3', per: 1_000_000, tier: 200 },
        { unit: 'cacheRead', amount: 60, price: '0.1', per: 1_000_000, tier: 200 },
        { unit: 'output', amount: 10, price: '2', per: 1_000_000, tier: 200 },
        { unit: 'image', amount: 2, price: '0.04', per: 1 },
      ],
      sum: '0.080476',
      ratio: '0.5',
      rounding: '0',
      cost: '0.040238',
    })
  })

  test('names the factor of its tokens', () => {
    const usage: Usage = { ...noUsage(), servedAs: { service_tier: 'flex', speed: 'fast' } }
    usage.in.fresh = 3
    usage.units.searches = 1
    const fields: PriceFields = {
      ...{ input: '1.5', output: '1', search: '0.01' },
      factors: { service_tier: { flex: '0.333333' }, speed: { fast: '1.000001' } },
    }
    const bill = billOf(rowOf(usage, fields, 1_000_000n), null)
    if (!bill) throw new Error('no bill')
    expect(bill.lines).toEqual([
      { unit: 'input', amount: 3, price: '1.5', per: 1_000_000, factor: '0.333333333333' },
      { unit: 'search', amount: 1, price: '0.01', per: 1 },
    ])
    const rounding = checked(bill)
    expect(rounding > 0n && rounding < 10n ** 30n).toBe(true)
  })

  test('of a row that used nothing there is none', () => {
    expect(billOf({ usage: null, price: { input: '1', output: '1', ratio: '1' }, cost: '0' }, null)).toBeNull()
    expect(billOf({ usage: noUsage(), price: null, cost: '0' }, null)).toBeNull()
  })

  test('of a session adds up the lines that it carries, each answer rounded by itself', () => {
    const fields = { input: '0.0000015', output: '1', tiers: [{ above: 10, input: '2' }] }
    const rates = resolveRates(fields)
    const answers = [3, 5, 20].map((fresh) => ({ ...noUsage(), in: { ...noUsage().in, fresh } }))
    const lines = answers.flatMap((usage) => partsOf(usage, rates).map(billLine))
    const spent = answers.reduce((sum, usage) => sum + cost(usage, rates, 1_000_000n), 0n)
    const total = { ...noUsage(), in: { ...noUsage().in, fresh: 28 } }
    const bill = billOf({ usage: total, price: { ...fields, ratio: '1' }, cost: formatUsd(spent) }, lines)
    if (!bill) throw new Error('no bill')
    const rounding = checked(bill)
    expect(rounding > 0n && rounding < 3n * 10n ** 30n).toBe(true)
  })
})
