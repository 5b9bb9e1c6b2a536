import { expect, test } from 'bun:test'
import { inPortions } from './in-portions.ts'

const portion = 3 * 512 * 1024
async function* pieces(sizes: readonly number[]) {
  let next = 0
  for (const size of sizes) yield new Uint8Array(size).map(() => next++ % 251)
}

test.each([
  [[], [0]],
  [[5], [5]],
  [[portion], [portion]],
  [
    [portion, 1],
    [portion, 1],
  ],
  [
    [1, portion, 2],
    [portion, 3],
  ],
  [[2 * portion + 7], [portion, portion, 7]],
])('pieces of %j are stored in portions of %j, in order', async (sizes, expected) => {
  const found: { size: number; isLast: boolean }[] = []
  let at = 0
  for await (const { bytes, isLast } of inPortions(pieces(sizes))) {
    found.push({ size: bytes.length, isLast })
    expect(bytes.every((byte, index) => byte === (at + index) % 251)).toBe(true)
    at += bytes.length
  }
  expect(found).toEqual(expected.map((size, index) => ({ size, isLast: index === expected.length - 1 })))
})
