import { expect, test } from 'bun:test'
import type { LogRow } from '#shared/console/log'
import { createLiveRows, mostLive } from './live-rows.ts'

const rowsFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, at) => ({ requestId: String(first + count - 1 - at) }) as LogRow)
const idsOf = (rows: readonly LogRow[]) => rows.map((row) => row.requestId)

function started() {
  const frames: (() => void)[] = []
  const live = createLiveRows((work) => frames.push(work))
  const drain = () => {
    let count = 0
    for (let next = frames.shift(); next; next = frames.shift()) {
      next()
      count += 1
    }
    return count
  }
  return { live, drain }
}

test('a burst of rows is added over several frames, oldest first, and stays in order', () => {
  const { live, drain } = started()
  live.take(rowsFrom(0, 60), new Set())
  expect(live.rows()).toEqual([])
  expect(drain()).toBe(3)
  expect(idsOf(live.rows())).toEqual(idsOf(rowsFrom(0, 60)))
  expect(live.gap()).toBe(false)
})

test('however many arrive, the list is bounded and reports a gap', () => {
  const { live, drain } = started()
  for (let look = 0; look < 20; look += 1) {
    live.take(rowsFrom(look * 400 + 200, 200), new Set(idsOf(live.rows())))
    drain()
  }
  expect(live.rows().length).toBe(mostLive)
  expect(live.rows()[0]?.requestId).toBe('7999')
  expect(live.gap()).toBe(true)
  live.clear()
  expect([live.rows(), live.gap()]).toEqual([[], false])
})

test('a row that is already there is not added twice', () => {
  const { live, drain } = started()
  live.take(rowsFrom(0, 3), new Set(['0', '1']))
  live.take(rowsFrom(0, 4), new Set(['0', '1']))
  drain()
  expect(idsOf(live.rows())).toEqual(['3', '2'])
})
