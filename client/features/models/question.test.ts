import { expect, test } from 'bun:test'
import { questionOf, unitsOf, waysOf } from './question.ts'

test('models billed by tokens are calculated in tokens, others in their units', () => {
  expect([...unitsOf({ input: '1', output: '2', image: '0.01' })]).toEqual([
    ['input', '1000'],
    ['output', '500'],
    ['cacheRead', ''],
    ['image', ''],
  ])
  expect([...unitsOf({ second: '0.1', request: '1' })]).toEqual([['second', '1']])
  expect(waysOf({ input: '1', factors: { service_tier: { priority: '2', flex: '0.5' } } })).toEqual([
    ['service_tier', ['priority', 'flex']],
  ])
})

test('only typed amounts are sent, and nothing while one is not valid', () => {
  const typed = new Map([
    ['input', ' 1000 '],
    ['output', ''],
  ] as const)
  expect(questionOf({ id: 'm' }, 'vip', typed, { service_tier: '' })).toEqual({ model: 'm', group: 'vip', amounts: { input: 1000 } })
  expect(questionOf({ id: 'm' }, 'vip', typed, { service_tier: 'flex' })?.servedAs).toEqual({ service_tier: 'flex' })
  expect(questionOf({ id: 'm' }, 'vip', new Map([['input', '1.5']]), {})).toBeUndefined()
})
