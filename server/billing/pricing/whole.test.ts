import { describe, expect, test } from 'bun:test'
import type { PriceFields } from '#shared/console/price'
import { operations } from '#shared/ids'
import { isWholeFor } from './cost.ts'
import type { Price } from './price.ts'
import { resolveRates } from './rates.ts'

const price = (fields: PriceFields): Price => ({ model: 'm', fields, rates: resolveRates(fields), managed: 'console' })
const wholeFor = (fields: PriceFields) => operations.filter((operation) => isWholeFor(price(fields), operation))

describe('what a price is whole for', () => {
  test('nothing without a price', () => {
    expect(operations.filter((operation) => isWholeFor(undefined, operation))).toEqual([])
  })

  test('input alone: what writes no tokens', () => {
    expect(wholeFor({ input: '0.02' })).toEqual(['embed', 'rerank', 'moderate'])
    expect(wholeFor({ input: '0' })).not.toContain('generate')
  })

  test('a price of tokens does not price a video', () => {
    expect(wholeFor({ input: '1', output: '2' })).toEqual(operations.filter((operation) => operation !== 'video'))
  })

  test('a video by second, by request, or free by word', () => {
    for (const fields of [{ second: '0.1' }, { request: '1' }, { input: '1', output: '2', second: '0' }, { input: '0', output: '0' }]) {
      expect(wholeFor(fields)).toContain('video')
    }
    expect(wholeFor({ image: '0.1' })).not.toContain('video')
  })
})
