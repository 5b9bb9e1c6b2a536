import { expect, test } from 'bun:test'
import { formatMoney } from './format.ts'
import { numberFormat, writeDate } from './formatters.ts'

test('a formatter is created once per language and options', () => {
  expect(numberFormat('en', { style: 'percent' })).toBe(numberFormat('en', { style: 'percent' }))
  expect(numberFormat('en', { style: 'percent' })).not.toBe(numberFormat('zh', { style: 'percent' }))
})

test('figures of ten thousand rows create no new formatter', () => {
  const { NumberFormat } = Intl
  let made = 0
  // @ts-expect-error counted in place of the browser's own
  Intl.NumberFormat = function counted(...options: ConstructorParameters<typeof NumberFormat>) {
    made += 1
    return new NumberFormat(...options)
  }
  try {
    for (let row = 0; row < 10_000; row += 1) formatMoney(`0.00${row}`)
  } finally {
    Intl.NumberFormat = NumberFormat
  }
  expect(made).toBeLessThanOrEqual(3)
})

test('an invalid time is a dash, not an error that breaks the page', () => {
  expect(writeDate(new Date('soon'), 'en', { day: 'numeric' })).toBe('–')
  expect(writeDate(new Date('2026-11-05T12:00:00Z'), 'en', { day: 'numeric', timeZone: 'UTC' })).toBe('5')
})
