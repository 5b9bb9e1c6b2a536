import { expect, test } from 'bun:test'
import { createLastUsed } from './last-used.ts'

test('writes each use once, the latest, in batches', async () => {
  const touches = createLastUsed()
  const batches: [string, Date][][] = []
  const write = async (seen: [string, Date][]) => void batches.push(seen)
  for (let n = 0; n < 1_200; n++) touches.touch(`k${n}`, 1_000)
  touches.touch('k0', 2_000)
  await touches.flush(write)
  expect(batches.map((batch) => batch.length)).toEqual([500, 500, 200])
  expect(batches[0]?.[0]).toEqual(['k0', new Date(2_000)])
  await touches.flush(write)
  expect(batches.length).toBe(3)
  expect(touches.last('k7')).toBe(1_000)
})

test('keeps what could not be written, and what came meanwhile', async () => {
  const touches = createLastUsed()
  touches.touch('a', 1)
  const failing = touches.flush(async () => {
    touches.touch('b', 2)
    throw new Error('no database')
  })
  await expect(failing).rejects.toThrow('no database')
  const seen: string[] = []
  await touches.flush(async (batch) => void seen.push(...batch.map(([id]) => id)))
  expect(seen.sort()).toEqual(['a', 'b'])
})

test('forgets what no longer exists', async () => {
  const touches = createLastUsed()
  touches.touch('gone', 1)
  touches.touch('there', 1)
  touches.keep((id) => id === 'there')
  expect(touches.last('gone')).toBeUndefined()
  const seen: string[] = []
  await touches.flush(async (batch) => void seen.push(...batch.map(([id]) => id)))
  expect(seen).toEqual(['there'])
})

test('notes a use a second, and asks for the address of those only', () => {
  const touches = createLastUsed()
  const asked: number[] = []
  for (const at of [5_000, 5_001, 5_999, 6_000, 9_000]) {
    touches.touch('a', at, {
      get clientAddress() {
        asked.push(at)
        return `10.0.0.${asked.length}`
      },
    })
  }
  expect(asked).toEqual([5_000, 6_000, 9_000])
  expect([touches.last('a'), touches.lastFrom('a')]).toEqual([9_000, '10.0.0.3'])
})
