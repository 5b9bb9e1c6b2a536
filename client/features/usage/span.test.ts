import { afterEach, expect, test } from 'bun:test'
import { chooseTimeZone } from '#client/ui/time-zone.ts'
import { comparedWith, daysBefore, daysOf, isShort, readSpan } from './span.ts'

afterEach(() => chooseTimeZone(''))

const now = new Date(2026, 2, 15, 14, 30)

test('a number of days ends today; a month begins with its first day, and the last month ends where this one begins', () => {
  expect(daysOf('1', now)).toEqual({ start: new Date(2026, 2, 15), days: 1 })
  expect(daysOf('30', now)).toEqual({ start: new Date(2026, 1, 14), days: 30 })
  expect(daysOf('month', now)).toEqual({ start: new Date(2026, 2, 1), days: 15 })
  expect(daysOf('last-month', now)).toEqual({ start: new Date(2026, 1, 1), days: 28, end: new Date(2026, 2, 1) })
  expect(daysOf('last-month', new Date(2026, 0, 31))).toEqual({ start: new Date(2025, 11, 1), days: 31, end: new Date(2026, 0, 1) })
})

test('a period can be given by dates; the current day is not over', () => {
  const asked = (from: string, to: string) => readSpan('7', from, to, now)
  expect(daysOf({ first: '2026-02-27', last: '2026-03-01' }, now)).toEqual({
    start: new Date(2026, 1, 27),
    days: 3,
    end: new Date(2026, 2, 2),
  })
  expect(daysOf(asked('2026-03-14', ''), now)).toEqual({ start: new Date(2026, 2, 14), days: 2 })
  expect(asked('', '2026-03-01')).toEqual({ first: '2026-03-01', last: '2026-03-01' })
  expect(asked('2026-03-01', '2027-01-01')).toEqual({ first: '2026-03-01', last: '2026-03-15' })
  expect(asked('', '')).toBe('7')
  for (const [from, to] of [
    ['2026-03-10', '2026-03-01'],
    ['2024-01-01', ''],
    ['soon', ''],
    ['2026-02-30x', ''],
  ] as const)
    expect(asked(from, to)).toBe('30')
  expect([isShort({ first: '2026-01-01', last: '2026-01-31' }), isShort({ first: '2026-01-01', last: '2026-02-01' })]).toEqual([
    true,
    false,
  ])
})

test('it is compared with as many days before, or with the same days of the week 52 weeks before', () => {
  const march = { first: '2026-03-01', last: '2026-03-03' }
  expect(comparedWith(march, 'before', now)).toEqual({ start: new Date(2026, 1, 26), end: new Date(2026, 2, 1) })
  expect(comparedWith(march, 'year', now)).toEqual({ start: new Date(2025, 2, 2), end: new Date(2025, 2, 5) })
  expect(comparedWith('7', 'before', now)).toEqual({ start: new Date(2026, 2, 2), end: new Date(2026, 2, 9) })
  // Periods of a year do not overlap.
  expect(comparedWith('365', 'year', now).end).toEqual(daysOf('365', now).start)
})

test('days before are counted by the calendar', () => {
  expect(daysBefore(new Date(2026, 2, 1), 28)).toEqual(new Date(2026, 1, 1))
  expect(daysBefore(new Date(2026, 1, 28), -1)).toEqual(new Date(2026, 2, 1))
})

test('days are those of the chosen time zone', () => {
  const at = new Date('2026-03-01T10:30:00Z')
  chooseTimeZone('Pacific/Kiritimati')
  expect(daysOf('1', at).start.toISOString()).toBe('2026-03-01T10:00:00.000Z')
  expect(daysOf('month', at)).toEqual({ start: new Date('2026-02-28T10:00:00Z'), days: 2 })
  chooseTimeZone('Pacific/Pago_Pago')
  expect(daysOf('month', at)).toEqual({ start: new Date('2026-02-01T11:00:00Z'), days: 28 })
  expect(daysBefore(new Date('2026-02-01T11:00:00Z'), 1).toISOString()).toBe('2026-01-31T11:00:00.000Z')
})
