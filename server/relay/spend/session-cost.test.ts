import { expect, test } from 'bun:test'
import { resolveRates } from '#billing/pricing/rates'
import { noUsage, type Usage } from '#canonical/usage'
import { createSessionCost } from './session-cost.ts'

const used = (fresh: number, total: number, provenance: Usage['provenance'] = 'provider'): Usage => {
  const usage = noUsage()
  return { ...usage, in: { ...usage.in, fresh }, out: { ...usage.out, total }, provenance }
}

test('nothing used is nothing owed', () => {
  const sessionCost = createSessionCost(resolveRates({ input: '1', output: '2' }), 1_000_000n)
  expect([sessionCost.spent(), sessionCost.usage(), sessionCost.tokens()]).toEqual([0n, undefined, 0])
})

test('each answer is priced alone: its own tier, its own request, its own rounding', () => {
  const rates = resolveRates({ input: '1', output: '2', request: '0.001', tiers: [{ above: 100, input: '10', output: '20' }] })
  const sessionCost = createSessionCost(rates, 333_333n)
  sessionCost.add(used(80, 1))
  sessionCost.add(used(80, 1))
  sessionCost.add(used(101, 1))
  const small = ((80n * 1000n + 2000n + 1_000_000n) * 333_333n + 999_999n) / 1_000_000n
  const large = ((101n * 10_000n + 20_000n + 1_000_000n) * 333_333n + 999_999n) / 1_000_000n
  expect(sessionCost.spent()).toBe(2n * small + large)
  expect(sessionCost.usage()).toMatchObject({ in: { fresh: 261 }, out: { total: 3 }, units: { requests: 3 }, provenance: 'provider' })
  expect(sessionCost.tokens()).toBe(264)
})

test('the word of the upstream for a part is a partial one', () => {
  const sessionCost = createSessionCost(resolveRates({ input: '1', output: '2' }), 1_000_000n)
  sessionCost.add(used(1, 1))
  sessionCost.add(used(1, 1, 'estimated'))
  expect(sessionCost.usage()?.provenance).toBe('partial')
})

test('the lines of all answers are those of one bill, and the second book is kept in the same way', () => {
  const upstream = resolveRates({ input: '0.0000015', output: '0', tiers: [{ above: 100, input: '1' }] })
  const sessionCost = createSessionCost(
    resolveRates({ input: '1', output: '2', tiers: [{ above: 100, input: '10' }] }),
    1_000_000n,
    upstream,
  )
  for (const fresh of [80, 101, 90]) sessionCost.add(used(fresh, 1))
  expect(sessionCost.lines().filter(({ unit }) => unit !== 'request')).toEqual([
    { unit: 'input', amount: 170, price: '1', per: 1_000_000 },
    { unit: 'output', amount: 2, price: '2', per: 1_000_000 },
    { unit: 'input', amount: 101, price: '10', per: 1_000_000, tier: 100 },
    { unit: 'output', amount: 1, price: '2', per: 1_000_000, tier: 100 },
  ])
  // The small ones cost less than a nano-dollar each, rounded up.
  expect(sessionCost.upstreamSpent()).toBe(1n + 101_000n + 1n)
  expect(createSessionCost(upstream, 1n).upstreamSpent()).toBeUndefined()
})
