/** Batched starts. */
import { expect, test } from 'bun:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { beginIfTurnIsLong, together } from './together.ts'

test('what is added in one turn is begun in one go, in order, before anything that follows of it', async () => {
  const seen: string[] = []
  const batch = together()
  for (const name of ['a', 'b']) {
    batch.add(() => {
      seen.push(name)
      void Promise.resolve().then(() => seen.push(`after ${name}`))
    })
  }
  await Promise.resolve()
  expect(seen).toEqual([])
  await nextTurn()
  expect(seen).toEqual(['a', 'b', 'after a', 'after b'])
})

test('many are begun in several turns, and what is added meanwhile comes last', async () => {
  const seen: number[] = []
  const batch = together()
  for (let number = 0; number < 40; number++) {
    batch.add(() => {
      seen.push(number)
      if (number === 0) batch.add(() => seen.push(40))
    })
  }
  const lengths: number[] = []
  while (seen.length < 41) {
    await nextTurn()
    lengths.push(seen.length)
  }
  expect(seen).toEqual([...Array(41).keys()])
  expect(lengths.length).toBeGreaterThan(2)
  expect(Math.min(...lengths)).toBeLessThan(40)
})

test('in a turn that does not end, some of what waits is begun', () => {
  const batch = together()
  let begun = 0
  for (let number = 0; number < 40; number++) batch.add(() => (begun += 1))
  beginIfTurnIsLong()
  expect(begun).toBe(0)
  const until = performance.now() + 15
  while (performance.now() < until);
  beginIfTurnIsLong()
  beginIfTurnIsLong()
  expect(begun).toBe(16)
})
