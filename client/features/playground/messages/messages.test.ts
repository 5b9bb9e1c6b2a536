import { expect, test } from 'bun:test'
import { formatMessage } from '#client/ui/language.ts'
import { en } from './en.ts'
import { zh } from './zh.ts'

const placesOf = (text: string) => [...new Set([...text.matchAll(/\{(\w+)(?::[^}]*)?\}/g)].map((match) => match[1]))].sort()

test('Chinese has exactly the same keys, none empty', () => {
  expect(Object.keys(zh).sort()).toEqual(Object.keys(en).sort())
  for (const text of [...Object.values(en), ...Object.values(zh)]) expect(text.trim()).not.toBe('')
})

test('both languages have the same parameters', () => {
  for (const key of Object.keys(en) as (keyof typeof en)[]) expect([key, placesOf(zh[key])]).toEqual([key, placesOf(en[key])])
})

test('no message shouts or begs', () => {
  for (const text of Object.values(en)) expect(text).not.toMatch(/!|please|oops|successfully|coming soon/i)
})

test('values and plurals are put in', () => {
  expect(formatMessage('{count} {count:event|events} in {place}', { count: 1, place: 'x' })).toBe('1 event in x')
  expect(formatMessage('{count} {count:event|events}', { count: 1200 })).toBe('1,200 events')
  expect(formatMessage('keeps {{topic}} and {unknown}', {})).toBe('keeps {{topic}} and {unknown}')
})
