import { expect, test } from 'bun:test'
import { formatBytes, formatCompact } from './format.ts'

test('large figures are short, with a decimal where a whole one would be far off', () => {
  const figures = [999, 1000, 1377, 9_940, 9_999, 10_499, 128_000, 999_499, 999_500, 1_048_576]
  expect(figures.map(formatCompact)).toEqual(['999', '1k', '1.4k', '9.9k', '10k', '10k', '128k', '999k', '1M', '1M'])
})

test('bytes in the unit that fits', () => {
  expect([999, 73_700, 256 * 2 ** 20, 2e9].map(formatBytes)).toEqual(['999 B', '72 KiB', '256 MiB', '1.9 GiB'])
})
