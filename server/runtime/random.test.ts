/** Random ids from a pool: correct lengths, and never the same bytes twice; request ids are ordered by time. */
import { expect, test } from 'bun:test'
import { newRequestId, systemRandom } from './clock.ts'

test('ids have their length and are different, over many pools', () => {
  const ids = Array.from({ length: 3_000 }, () => systemRandom.hex(8))
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{16}$/)
  expect(new Set(ids).size).toBe(ids.length)
  // Bytes drawn in one form are not drawn again in another.
  const all = Array.from({ length: 3_000 }, () => systemRandom.hex(2) + systemRandom.base62(7) + systemRandom.hex(1))
  expect(new Set(all).size).toBe(all.length)
  expect(new Set(systemRandom.base62(4_000)).size).toBe(62)
})

test('more than a pool at once', () => {
  expect(systemRandom.hex(10_000)).toMatch(/^[0-9a-f]{20000}$/)
})

test('ids of requests are as long as ever, different within a millisecond, and greater in a later one', () => {
  const at = (ms: number) => newRequestId({ clock: { now: () => ms }, random: systemRandom })
  const now = Date.UTC(2026, 10, 29)
  const ids = Array.from({ length: 2_000 }, () => at(now))
  for (const id of ids) expect(id).toMatch(/^req_[0-9a-z]{9}[0-9A-Za-z]{15}$/)
  expect(new Set(ids).size).toBe(ids.length)
  // Digits are carried, letters follow on digits, and a clock may have fractions.
  const times = [0, 35.9, 36, 36 ** 7 - 1, 36 ** 7, now, now + 0.5 + 1, Date.UTC(2059, 4, 25), Date.UTC(2059, 4, 26), 36 ** 9 - 1]
  const later = times.map(at)
  expect(later.toSorted()).toEqual(later)
  expect(new Set(later.map((id) => id.length))).toEqual(new Set([28]))
})
