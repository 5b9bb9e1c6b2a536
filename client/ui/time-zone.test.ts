import { afterEach, expect, test } from 'bun:test'
import { writeDate } from './formatters.ts'
import { chooseTimeZone, chosenZone, clockField, dayOf, instantOfField, isoDay, midnightOf, timeZones } from './time-zone.ts'

afterEach(() => chooseTimeZone(''))

test.each([
  ['UTC', [2026, 2, 1], '2026-03-01T00:00:00.000Z'],
  ['Pacific/Kiritimati', [2026, 2, 1], '2026-02-28T10:00:00.000Z'],
  ['Asia/Kathmandu', [2026, 0, 0], '2025-12-30T18:15:00.000Z'],
  ['Europe/Berlin', [2026, 2, 29], '2026-03-28T23:00:00.000Z'],
  ['Europe/Berlin', [2026, 2, 30], '2026-03-29T22:00:00.000Z'],
  ['Europe/Berlin', [2026, 9, 26], '2026-10-25T23:00:00.000Z'],
  ['America/New_York', [2026, 10, 1], '2026-11-01T04:00:00.000Z'],
  ['America/New_York', [2026, 10, 2], '2026-11-02T05:00:00.000Z'],
  // Clocks go forward at midnight: the day begins at one.
  ['America/Santiago', [2026, 8, 6], '2026-09-06T04:00:00.000Z'],
  // And back at midnight: the hour before it occurs twice.
  ['America/Santiago', [2026, 3, 5], '2026-04-05T04:00:00.000Z'],
] as const)('in %s the day %p begins at %s', (zone, [year, month, day], begin) => {
  expect(midnightOf(year, month, day, zone).toISOString()).toBe(begin)
  expect(dayOf(new Date(begin), zone)).toEqual(dayOf(new Date(Date.UTC(year, month, day)), 'UTC'))
  expect(isoDay(new Date(Date.parse(begin) - 1), zone) < isoDay(new Date(begin), zone)).toBe(true)
})

test('times are formatted in the chosen zone', () => {
  const now = new Date('2026-03-01T10:30:00Z')
  const clock = () => writeDate(now, 'en-GB', { day: 'numeric', hour: '2-digit', minute: '2-digit', hour12: false })
  chooseTimeZone('Pacific/Kiritimati')
  expect([clock(), isoDay(now)]).toEqual(['2, 00:30', '2026-03-02'])
  chooseTimeZone('Pacific/Pago_Pago')
  expect([clock(), isoDay(now)]).toEqual(['28, 23:30', '2026-02-28'])
  expect(isoDay(new Date(''))).toBe('')
  expect(chosenZone()).toBe('Pacific/Pago_Pago')
  expect(timeZones()).toContain('UTC')
})

test.each([
  ['UTC', '2026-03-01T10:30', '2026-03-01T10:30:00.000Z'],
  ['Asia/Kathmandu', '2026-03-01T00:15', '2026-02-28T18:30:00.000Z'],
  // This hour occurs twice: the earlier one counts.
  ['Europe/Berlin', '2026-10-25T02:30', '2026-10-25T00:30:00.000Z'],
] as const)('in %s a field with %s means %s', (zone, text, instant) => {
  expect(instantOfField(text, zone)?.toISOString()).toBe(instant)
  expect(clockField(new Date(instant), zone)).toBe(text)
})

test('a skipped hour is some instant, and an invalid time is undefined', () => {
  expect(instantOfField('2026-03-29T02:30', 'Europe/Berlin')).toBeInstanceOf(Date)
  for (const text of ['', '2026-03-29', '2026-13-01T00:00', 'now']) expect(instantOfField(text)).toBeUndefined()
  expect(clockField(new Date(''))).toBe('')
})
