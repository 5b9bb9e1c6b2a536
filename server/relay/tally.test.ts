import { expect, test } from 'bun:test'
import { noUsage, type Usage } from '#canonical/usage'
import { resolveRates } from '#metering/rates'
import { createTally } from './tally.ts'

const used = (fresh: number, total: number, provenance: Usage['provenance'] = 'provider'): Usage => {
  const usage = noUsage()
  return { ...usage, in: { ...usage.in, fresh }, out: { ...usage.out, total }, provenance }
}

test('nothing used is nothing owed', () => {
  const tally = createTally(resolveRates({ input: '1', output: '2' }), 1_000_000n)
  expect([tally.spent(), tally.usage(), tally.tokens()]).toEqual([0n, undefined, 0])
})

test('each answer is priced alone: its own tier, its own request, its own rounding', () => {
  const rates = resolveRates({ input: '1', output: '2', request: '0.001', tiers: [{ above: 100, input: '10', output: '20' }] })
  const tally = createTally(rates, 333_333n)
  tally.add(used(80, 1))
  tally.add(used(80, 1))
  tally.add(used(101, 1))
  const small = ((80n * 1000n + 2000n + 1_000_000n) * 333_333n + 999_999n) / 1_000_000n
  const large = ((101n * 10_000n + 20_000n + 1_000_000n) * 333_333n + 999_999n) / 1_000_000n
  expect(tally.spent()).toBe(2n * small + large)
  expect(tally.usage()).toMatchObject({ in: { fresh: 261 }, out: { total: 3 }, units: { requests: 3 }, provenance: 'provider' })
  expect(tally.tokens()).toBe(264)
})

test('the word of the upstream for a part is a partial one', () => {
  const tally = createTally(resolveRates({ input: '1', output: '2' }), 1_000_000n)
  tally.add(used(1, 1))
  tally.add(used(1, 1, 'estimated'))
  expect(tally.usage()?.provenance).toBe('partial')
})
