import { describe, expect, test } from 'bun:test'
import { noUsage, type Usage } from '#canonical/usage'
import type { PriceFields } from '#shared/console/price'
import { formatUsd } from '#shared/money'
import { seeded } from '#testing/seeded'
import { cost, partsOf } from './cost.ts'
import type { Rates } from './price.ts'
import { resolveRates } from './rates.ts'

const one = 1_000_000n

function usage(change: (usage: Usage) => void): Usage {
  const fresh = noUsage()
  change(fresh)
  return fresh
}

const bill = (fields: PriceFields, change: (usage: Usage) => void, ratio = one) => cost(usage(change), resolveRates(fields), ratio)

describe('known bills', () => {
  test('tokens in and out', () => {
    const nano = bill({ input: '1.25', output: '10', cacheRead: '0.125' }, (u) => {
      u.in.fresh = 1000
      u.in.cacheRead = 4000
      u.out.total = 500
    })
    expect(formatUsd(nano)).toBe('0.00675')
  })

  test('a ratio is applied before the one rounding', () => {
    const change = (u: Usage) => {
      u.in.fresh = 1
    }
    expect(bill({ input: '0.000001', output: '0' }, change)).toBe(1n)
    expect(bill({ input: '0.001', output: '0' }, change, 800_000n)).toBe(1n)
    expect(bill({ input: '1', output: '0' }, change, 800_000n)).toBe(800n)
    expect(bill({ input: '1', output: '0' }, change, 0n)).toBe(0n)
  })

  test('reasoning, audio and image are parts of the output, not more of it', () => {
    const change = (u: Usage) => {
      u.out = { total: 100, reasoning: 30, audio: 20, image: 10 }
    }
    expect(bill({ input: '0', output: '1' }, change)).toBe(100_000n)
    expect(bill({ input: '0', output: '1', reasoning: '2', audioOut: '3', imageOut: '4' }, change)).toBe(
      40_000n + 60_000n + 60_000n + 40_000n,
    )
  })

  test('cache writes of an unnamed age are charged as five minutes', () => {
    const change = (u: Usage) => {
      u.in.cacheWrite = { '5m': 1, '1h': 10, other: 100 }
    }
    expect(bill({ input: '0', output: '0', cacheWrite5m: '1', cacheWrite1h: '2' }, change)).toBe(101_000n + 20_000n)
  })

  test('units: seconds are rounded up, characters are per million', () => {
    const fields = { request: '0.5', image: '0.04', second: '0.01', search: '0.005', character: '15' }
    const nano = bill(fields, (u) => {
      u.units = { requests: 1, images: 2, seconds: 2.01, characters: 1000, searches: 3 }
    })
    expect(formatUsd(nano)).toBe('0.64') // 0.5 + 0.08 + 0.03 + 0.015 + 0.015
  })

  test('the tier is chosen by the whole input, caches included, and holds above its threshold only', () => {
    const fields = { input: '1', output: '1', tiers: [{ above: 100, input: '2', output: '3' }] }
    const with100 = (u: Usage) => {
      u.in.fresh = 40
      u.in.cacheRead = 50
      u.in.audio = 10
      u.out.total = 10
    }
    expect(bill(fields, with100)).toBe(110_000n)
    expect(
      bill(fields, (u) => {
        with100(u)
        u.in.cacheWrite.other = 1
      }),
    ).toBe(101n * 2000n + 10n * 3000n)
  })

  test('false figures of an upstream never credit and never throw', () => {
    for (const lie of [-1, Number.NaN, Number.NEGATIVE_INFINITY, -0]) {
      expect(
        bill({ input: '1', output: '1', reasoning: '0' }, (u) => {
          u.in.fresh = lie
          u.in.cacheRead = 10
          u.out = { total: 5, reasoning: lie, audio: lie, image: lie }
        }),
      ).toBe(15_000n)
    }
    expect(
      bill({ input: '0', output: '1' }, (u) => {
        u.out = { total: 5, reasoning: 50, audio: 50, image: 50 }
      }),
    ).toBe(5000n)
    expect(
      bill({ input: '1', output: '1' }, (u) => {
        u.in.fresh = Number.POSITIVE_INFINITY
      }),
    ).toBe(BigInt(Number.MAX_SAFE_INTEGER) * 1000n)
  })
})

function anyPrice(fraction: (below: number) => number): PriceFields {
  const amount = () => `${fraction(1000)}.${String(fraction(1_000_000_000)).padStart(9, '0')}`
  const maybe = (name: string) => (fraction(2) ? { [name]: amount() } : {})
  const names = ['cacheRead', 'cacheWrite5m', 'cacheWrite1h', 'reasoning', 'audioIn', 'audioOut', 'imageIn', 'imageOut']
  const units = ['request', 'image', 'second', 'search', 'character']
  return { input: amount(), output: amount(), ...Object.assign({}, ...[...names, ...units].map(maybe)) }
}

function anyUsage(fraction: (below: number) => number): Usage {
  const size = fraction(2) ? 10 : 4_000_000_000
  return usage((u) => {
    u.in = {
      fresh: fraction(size),
      cacheRead: fraction(size),
      cacheWrite: { '5m': fraction(size), '1h': fraction(size), other: fraction(size) },
      audio: fraction(size),
      image: fraction(size),
    }
    u.out = { total: fraction(size), reasoning: fraction(size), audio: fraction(size), image: fraction(size) }
    u.units = {
      requests: fraction(3),
      images: fraction(size),
      seconds: fraction(size) / 7,
      characters: fraction(size),
      searches: fraction(size),
    }
  })
}

const exact = (u: Usage, rates: Rates) => partsOf(u, rates).reduce((sum, part) => sum + part.amount * part.price, 0n)

test('2000 random bills: parts make the whole, one rounding, up, never negative, more costs no less', () => {
  const fraction = seeded(20_240_607).below
  for (let round = 0; round < 2000; round++) {
    const rates = resolveRates(anyPrice(fraction))
    const u = anyUsage(fraction)
    const ratio = BigInt(fraction(3_000_000))
    const nano = cost(u, rates, ratio)
    const whole = exact(u, rates) * ratio
    expect(nano >= 0n).toBe(true)
    expect(nano * 10n ** 12n - whole).toBeGreaterThanOrEqual(0n)
    expect(nano * 10n ** 12n - whole).toBeLessThan(10n ** 12n)

    const tokensOut = partsOf(u, rates).filter((part) => ['output', 'reasoning', 'audioOut', 'imageOut'].includes(part.unit))
    expect(tokensOut.reduce((sum, part) => sum + part.amount, 0n)).toBe(BigInt(u.out.total))

    const more = structuredClone(u)
    more.in.fresh += fraction(1000)
    more.out.total += fraction(1000)
    more.units.searches += fraction(10)
    expect(cost(more, rates, ratio) >= nano).toBe(true)
    expect(cost(u, rates, ratio + 1n) >= nano).toBe(true)
    expect(cost(u, rates, 0n)).toBe(0n)
  }
})

test('the largest figures that can be written stay exact', () => {
  const rates = resolveRates({ input: '9999999999999', output: '9999999999999.999999999' })
  const u = usage((u) => {
    u.in.fresh = Number.MAX_SAFE_INTEGER
    u.out.total = Number.MAX_SAFE_INTEGER
  })
  const safe = BigInt(Number.MAX_SAFE_INTEGER)
  const whole = safe * 9_999_999_999_999_000_000_000n + safe * 9_999_999_999_999_999_999_999n
  expect(cost(u, rates, one)).toBe((whole * one + 10n ** 12n - 1n) / 10n ** 12n)
})

describe('factors', () => {
  const fields: PriceFields = {
    ...{ input: '1', output: '2', search: '0.01', tiers: [{ above: 2_000_000, input: '3', output: '3' }] },
    factors: { service_tier: { priority: '2', flex: '0.5', odd: '1.000001' }, speed: { fast: '6' }, inference_geo: { us: '1.1' } },
  }
  const used = (servedAs: Usage['servedAs'], fresh = 1_000_000) =>
    usage((u) => {
      u.in.fresh = fresh
      u.units.searches = 1
      if (servedAs) u.servedAs = servedAs
    })
  const usd = (servedAs: Usage['servedAs'], fresh?: number) => formatUsd(cost(used(servedAs, fresh), resolveRates(fields), one))

  test('multiply the price of tokens, not that of searches, and each other', () => {
    expect(usd(undefined)).toBe('1.01')
    expect(usd({ service_tier: 'priority' })).toBe('2.01')
    expect(usd({ service_tier: 'flex' })).toBe('0.51')
    expect(usd({ speed: 'fast', inference_geo: 'us' })).toBe('6.61')
    expect(usd({ service_tier: 'priority' }, 3_000_000)).toBe('18.01')
    expect(usd({ service_tier: 'a word without a factor', speed: 'priority' })).toBe('1.01')
  })

  test('are exact, and rounded up once with the ratio', () => {
    // One token of 0.000001 USD: 1.000001 thousand nano-dollars, and half of that.
    const single = usage((u) => {
      u.in.fresh = 1
      u.servedAs = { service_tier: 'odd' }
    })
    expect(cost(single, resolveRates(fields), one)).toBe(1_001n)
    expect(cost(single, resolveRates(fields), one / 2n)).toBe(501n)
    // 1.000001 ** 2 and 1.000001 ** 3 have more places than a float.
    const odd = { odd: '1.000001' }
    const thrice = resolveRates({ input: '1', output: '1', factors: { service_tier: odd, speed: odd, inference_geo: odd } })
    const all = usage((u) => {
      u.in.fresh = 1_000_000_000_000_000
      u.servedAs = { service_tier: 'odd', speed: 'odd', inference_geo: 'odd' }
    })
    expect(cost(all, thrice, one)).toBe(1_000_003_000_003_000_001n)
  })

  test.each([
    [{ service_tier: { priority: '-1' } }, 'factors.service_tier.priority'],
    [{ speed: { fast: '1.0000001' } }, 'factors.speed.fast'],
    [{ speed: { fast: 'six' } }, 'factors.speed.fast'],
  ] as [NonNullable<PriceFields['factors']>, string][])('%j is refused', (factors, param) => {
    expect(() => resolveRates({ input: '1', output: '1', factors })).toThrow(expect.objectContaining({ code: 'invalid_value', param }))
  })
})
