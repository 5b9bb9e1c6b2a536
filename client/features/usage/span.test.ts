import { afterEach, expect, test } from 'bun:test'
import { chooseTimeZone } from '#client/ui/time-zone.ts'
import { daysBefore, daysOf } from './span.ts'

afterEach(() => chooseTimeZone(''))

const now = new Date(2026, 2, 15, 14, 30)

test('so many days end today; a month begins with its first day, and the last one ends where this one begins', () => {
  expect(daysOf('1', now)).toEqual({ start: new Date(2026, 2, 15), days: 1 })
  expect(daysOf('30', now)).toEqual({ start: new Date(2026, 1, 14), days: 30 })
  expect(daysOf('month', now)).toEqual({ start: new Date(2026, 2, 1), days: 15 })
  expect(daysOf('last-month', now)).toEqual({ start: new Date(2026, 1, 1), days: 28, end: new Date(2026, 2, 1) })
  expect(daysOf('last-month', new Date(2026, 0, 31))).toEqual({ start: new Date(2025, 11, 1), days: 31, end: new Date(2026, 0, 1) })
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
