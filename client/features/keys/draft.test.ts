import { expect, test } from 'bun:test'
import { changesBetween, draftFor, endOfDay, expiryKind, fieldsOf, lastDayOf, presets } from './draft.ts'

test('a preset fills limits and expiry, and keeps what was typed', () => {
  const typed = { ...draftFor('app'), name: 'bot', note: 'mine', models: ['a'] }
  const ci = draftFor('ci', typed)
  expect(fieldsOf(ci, 0)).toEqual({
    name: 'bot',
    note: 'mine',
    group: null,
    models: ['a'],
    expiresAt: '1970-04-01T00:00:00.000Z',
    addresses: null,
    strict: false,
    logBodies: false,
    budget: { daily: '5' },
    limits: { rpm: 60 },
  })
  for (const preset of presets) expect(Object.keys(fieldsOf(draftFor(preset), 0).budget ?? {})).toHaveLength(1)
})

test('a key can be used until the end of the chosen day', () => {
  const expiry = endOfDay('2027-02-28')
  expect(lastDayOf(expiry)).toBe('2027-02-28')
  expect(new Date(Date.parse(expiry) - 1).getDate()).toBe(28)
  expect(fieldsOf({ ...draftFor('app'), expiry }, 0).expiresAt).toBe(expiry)
  expect(['', '30', '45', expiry].map(expiryKind)).toEqual(['', '30', 'date', 'date'])
})

test('lines, commas and spaces separate addresses; what is empty clears', () => {
  const draft = { ...draftFor('app'), addresses: ' 203.0.113.7,\n10.0.0.0/8  ::1 ' }
  expect(fieldsOf(draft, 0).addresses).toEqual(['203.0.113.7', '10.0.0.0/8', '::1'])
  expect(changesBetween(draft, { ...draft, addresses: '203.0.113.7 10.0.0.0/8 ::1' })).toEqual([])
  expect(changesBetween(draft, { ...draft, addresses: '', name: 'x' })).toEqual(['name', 'addresses'])
})
