import { expect, test } from 'bun:test'
import { nearRows } from './near-rows.ts'

const rowPx = 36

test('visible rows are mounted at any scroll position, with extra rows around', () => {
  for (const count of [80, 200, 5_000])
    for (let above = -400; above < count * rowPx; above += 7) {
      const { from, to } = nearRows(count, rowPx, above, 900)
      const [first, last] = [Math.max(0, Math.floor(above / rowPx)), Math.min(count - 1, Math.floor((above + 899) / rowPx))]
      expect(from).toBeLessThanOrEqual(first)
      expect(to).toBeGreaterThan(last)
      expect(to - from).toBeLessThanOrEqual(72)
      expect(to).toBeLessThanOrEqual(count)
    }
})

test('small movements do not change the mounted rows', () => {
  const places = new Set(Array.from({ length: rowPx * 8 }, (_, at) => nearRows(1_000, rowPx, 3_600 - (3_600 % (rowPx * 8)) + at, 900).from))
  expect(places.size).toBe(1)
})
