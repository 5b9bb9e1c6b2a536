import { expect, test } from 'bun:test'
import { checker } from './check.ts'
import { isInstant } from './instant.ts'
import { Type } from './typebox.ts'

const times = [
  '2030-01-01T00:00:00Z',
  '2030-01-01t00:00:00z',
  '2030-12-31T23:59:59.123456789+05:30',
  '2030-01-01T00:00:00.5-00:00',
  '2028-02-29T00:00:00Z',
  '2000-02-29T00:00:00Z',
  '0000-02-29T00:00:00Z',
  new Date(0).toISOString(),
]
const others = [
  '2030-02-30T00:00:00Z',
  '2030-02-29T00:00:00Z',
  '2100-02-29T00:00:00Z',
  '2030-04-31T00:00:00Z',
  '2030-00-01T00:00:00Z',
  '2030-13-01T00:00:00Z',
  '2030-01-00T00:00:00Z',
  '2030-01-01T00:00:00',
  '2030-01-01T00:00Z',
  '2030-01-01T24:00:00Z',
  '2030-01-01T23:60:00Z',
  '2030-01-01T23:59:60Z',
  '2030-01-01T00:00:00.Z',
  '2030-01-01T00:00:00,5Z',
  '2030-01-01T00:00:00+24:00',
  '2030-01-01T00:00:00+0200',
  '2030-01-01T00:00:00+02',
  '2030-01-01 00:00:00Z',
  '2030-01-01',
  '2030-01-01T00:00:00Z\n',
  '+012030-01-01T00:00:00Z',
  '',
]

test('a time of RFC 3339 names one moment everywhere, of a day that there is', () => {
  expect(times.filter((text) => !isInstant(text))).toEqual([])
  expect(others.filter(isInstant)).toEqual([])
  for (const text of times) expect(Date.parse(text)).not.toBeNaN()
})

test('a field that is a time takes no other', () => {
  const { faults } = checker(Type.Object({ at: Type.String({ format: 'instant' }) }))
  expect(faults({ at: times[1] })).toEqual([])
  expect(faults({ at: others[0] })).toMatchObject([{ path: ['at'], message: 'Expected a time like 2026-03-01T00:00:00Z' }])
})
