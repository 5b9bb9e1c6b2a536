/** Random ids out of a pool: as long as they should be, and never the same bytes twice. */
import { expect, test } from 'bun:test'
import { systemRandom } from './clock.ts'

test('ids have their length and are different, over many pools', () => {
  const ids = Array.from({ length: 3_000 }, () => systemRandom.hex(8))
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{16}$/)
  expect(new Set(ids).size).toBe(ids.length)
  // What was drawn in one form is not drawn again in another.
  const all = Array.from({ length: 3_000 }, () => systemRandom.hex(2) + systemRandom.base62(7) + systemRandom.hex(1))
  expect(new Set(all).size).toBe(all.length)
  expect(new Set(systemRandom.base62(4_000)).size).toBe(62)
})

test('more than a pool at once', () => {
  expect(systemRandom.hex(10_000)).toMatch(/^[0-9a-f]{20000}$/)
})
