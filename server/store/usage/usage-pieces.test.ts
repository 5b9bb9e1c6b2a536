/** How a report is divided: nothing is left out, and no piece has very many rows where they can be divided. */
import { expect, test } from 'bun:test'
import { type BusyHour, piecesOf } from './usage-pieces.ts'

const from = new Date('2026-03-01T00:20:00Z')
const to = new Date('2026-03-31T12:00:00Z')
const hour = (n: number, rows: number, divisible = true): BusyHour => ({ hour: new Date(Date.UTC(2026, 2, 1, n)), rows, divisible })

test.each<[string, BusyHour[], number]>([
  ['only sums', [], 5],
  ['a few rows in every hour', Array.from({ length: 700 }, (_, n) => hour(n, 5)), 6],
  ['as many rows as fit in every hour', Array.from({ length: 20 }, (_, n) => hour(n, 2_000)), 24],
  ['one hour with very many', [hour(0, 9_000)], 9],
  ['one with very many that cannot be divided', [hour(30, 9_000, false)], 6],
  ['more than an hour can be divided into', [hour(40, 1_000_000)], 66],
])('%s', (_, busy, most) => {
  const pieces = piecesOf({ from, to }, busy)
  expect(pieces[0]?.from).toEqual(from)
  expect(pieces.at(-1)?.to).toEqual(to)
  for (const [n, piece] of pieces.entries()) {
    expect(piece.from.getTime()).toBeLessThan(piece.to.getTime())
    if (n > 0) expect(piece.from).toEqual(pieces[n - 1]?.to ?? to)
  }
  expect(pieces.length).toBeLessThanOrEqual(most)
  // What is divided within an hour is one that may be.
  for (const { from: begins } of pieces.slice(1)) {
    const at = busy.find((one) => begins.getTime() > one.hour.getTime() && begins.getTime() < one.hour.getTime() + 3_600_000)
    expect(begins.getTime() % 3_600_000 === 0 || at?.divisible).toBe(true)
  }
})
