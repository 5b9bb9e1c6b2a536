import { expect, test } from 'bun:test'
import { createIdleWatch } from './jobs.ts'

/** How often it gave back after each look, by the CPU time between two looks. */
function after(...used: number[]): number[] {
  let cpu = 5_000
  let times = 0
  const look = createIdleWatch(
    () => cpu,
    () => times++,
  )
  return used.map((ms) => {
    cpu += ms
    look()
    return times
  })
}

test('memory is given back once after the start, when nothing has happened for three looks', () => {
  expect(after(900, 100, 100, 100, 100, 100, 100)).toEqual([0, 0, 0, 1, 1, 1, 1])
})

test('and again after work, but not between two bursts of it', () => {
  expect(after(0, 0, 0, 5_000, 0, 0, 4_000, 0, 0, 0, 0)).toEqual([0, 0, 1, 1, 1, 1, 1, 1, 1, 2, 2])
})

test('a little work now and then is no reason to do it again', () => {
  expect(after(0, 0, 0, 500, 0, 0, 0, 500, 0, 0, 0)).toEqual([0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1])
})
