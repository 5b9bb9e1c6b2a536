import { expect, test } from 'bun:test'
import { filledCosts, marginsOf, readCosts, withCost, writeCosts } from './costs.ts'

test('a field is set and taken away, and the rest of a model stays', () => {
  const costs = { m: { input: '1', tiers: [{ above: 9, input: '2' }] } }
  expect(withCost(costs, 'm', 'output', ' 4 ')).toEqual({ m: { ...costs.m, output: '4' } })
  expect(withCost(costs, 'm', 'input', '')).toEqual({ m: { tiers: costs.m.tiers } })
  expect(withCost({ m: { input: '1' } }, 'm', 'input', ' ')).toEqual({})
  expect(withCost({}, 'new', 'cacheRead', '0')).toEqual({ new: { cacheRead: '0' } })
})

test('only models without costs are filled, to the nano-dollar', () => {
  const prices = new Map([
    ['m', { input: '3' }],
    ['n', { input: '0.000000001', output: '10', tiers: [{ above: 9, output: '20' }], factors: { speed: { fast: '2' } } }],
  ])
  expect(filledCosts({ m: { input: '1' } }, prices, '0.7')).toEqual({
    m: { input: '1' },
    n: { input: '0.000000001', output: '7', tiers: [{ above: 9, output: '14' }], factors: { speed: { fast: '2' } } },
  })
  expect(filledCosts({}, prices, 'much')).toBeUndefined()
})

test('a margin is shown where price and cost are known', () => {
  expect(marginsOf({ input: '4', output: '10' }, { input: '3', output: '12' })).toEqual({ input: 0.25, output: 1 - 1.2 })
  expect(marginsOf({ input: '0' }, { input: '0' })).toEqual({})
  expect(marginsOf(undefined, { input: '1' })).toEqual({})
})

test('JSON is read where it is an object', () => {
  expect(readCosts(writeCosts({ m: { input: '1' } }))).toEqual({ m: { input: '1' } })
  expect([readCosts(''), readCosts('[]'), readCosts('{')]).toEqual([{}, undefined, undefined])
})
