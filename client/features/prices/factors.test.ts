import { expect, test } from 'bun:test'
import { factorsOf, type TypedFactor, typedFactors, wrongIn } from './factors.ts'

test('factors come back as they were, and words in lower case', () => {
  const factors = { service_tier: { priority: '2', flex: '0.5' }, size: { '1280x720': '1.5' } }
  expect(factorsOf(typedFactors(factors))).toEqual(factors)
  expect(factorsOf([{ name: 'speed', word: ' Fast ', times: ' 6 ' }])).toEqual({ speed: { fast: '6' } })
  expect(factorsOf(typedFactors(undefined))).toEqual({})
})

test('a factor needs a unique value and a number', () => {
  const one = (word: string, times = '2'): TypedFactor => ({ name: 'service_tier', word, times })
  for (const word of ['', 'two words', 'flex;']) expect(wrongIn(one(word), [one(word)])).toEqual({ word: true, times: false })
  for (const times of ['', 'x2', '-1', '1000', '0.1234567']) expect(wrongIn(one('flex', times), [])).toEqual({ word: false, times: true })
  const twice = [one('flex'), one('Flex', '3')]
  expect(twice.map((typed) => wrongIn(typed, twice).word)).toEqual([true, true])
  expect(factorsOf(twice)).toBeUndefined()
  expect(factorsOf([one('flex'), { name: 'speed', word: 'flex', times: '3' }])).toEqual({
    service_tier: { flex: '2' },
    speed: { flex: '3' },
  })
})
