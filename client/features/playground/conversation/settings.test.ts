import { describe, expect, test } from 'bun:test'
import type { ModelRow } from '#shared/console/model'
import { clamp, isRefused, rangeOf, readNumber, sliderNames } from './settings.ts'

const model = (more: Partial<ModelRow> = {}): ModelRow => ({
  id: 'm',
  operations: ['generate'],
  dialects: ['chat'],
  price: { input: '0.25', output: '2' },
  priceChangedAt: null,
  contextTokens: null,
  maxOutputTokens: null,
  capabilities: {},
  ...more,
})

describe('typed values', () => {
  const range = rangeOf('temperature', undefined)
  test('are brought into range and onto the step, and say so', () => {
    expect(readNumber('0.7', range)).toEqual({ value: 0.7, corrected: false })
    expect(readNumber('0,7', range)).toEqual({ value: 0.7, corrected: false })
    expect(readNumber('3', range)).toEqual({ value: 2, corrected: true })
    expect(readNumber('-1', range)).toEqual({ value: 0, corrected: true })
    expect(readNumber('0.123', range)).toEqual({ value: 0.12, corrected: true })
    for (const wrong of ['', 'abc', '1e3', '--1', 'NaN', 'Infinity']) expect(readNumber(wrong, range)).toBeUndefined()
  })

  test('stay what they are when clamped twice', () => {
    for (const name of sliderNames) {
      const one = rangeOf(name, undefined)
      for (let value = one.min; value <= Math.min(one.max, one.min + 5); value += one.step * 7) {
        const once = clamp(value, one)
        expect(clamp(once, one)).toBe(once)
        expect(String(once).length).toBeLessThan(7)
      }
    }
  })

  test('the model narrows the range', () => {
    expect(rangeOf('maxTokens', model({ maxOutputTokens: 2_000 }))).toMatchObject({ max: 2_000, first: 2_000 })
    expect(rangeOf('temperature', model({ dialects: ['messages'] })).max).toBe(1)
    expect(isRefused('topP', model({ capabilities: { samplingRefused: true } }))).toBe(true)
    expect(isRefused('temperature', model({ capabilities: { samplingRefused: true } }))).toBe(true)
    expect(isRefused('maxTokens', model({ capabilities: { samplingRefused: true } }))).toBe(false)
  })
})
