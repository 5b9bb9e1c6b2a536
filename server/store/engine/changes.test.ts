import { expect, test } from 'bun:test'
import { handClock } from '#testing/hand-clock'
import { createChanges } from './changes.ts'

function hub(pollMs?: number) {
  const clock = handClock()
  const lines: string[] = []
  const changes = createChanges({ clock, log: (line) => lines.push(line), ...(pollMs === undefined ? {} : { pollMs }) })
  const seen: (string | undefined)[] = []
  let broken = false
  changes.subscribe('users', async (id) => {
    if (broken) throw new Error('gone')
    seen.push(id)
  })
  const breakIt = (value: boolean): void => {
    broken = value
  }
  return { clock, changes, lines, seen, breakIt }
}

test('reads everything again on every poll, and no more after the end', async () => {
  const { clock, changes, seen } = hub(30_000)
  await clock.advance(29_999)
  expect(seen).toEqual([])
  await clock.advance(1)
  await clock.advance(30_000)
  expect(seen).toEqual([undefined, undefined])
  changes.close()
  expect(clock.pending()).toBe(0)
})

test('a refresh that failed is a line in the log, and everything is read again a second later, until it works', async () => {
  const { clock, changes, seen, lines, breakIt } = hub()
  expect(clock.pending()).toBe(0)
  breakIt(true)
  await changes.publish('users', 'a')
  await clock.advance(1_000)
  expect(seen).toEqual([])
  breakIt(false)
  await clock.advance(1_000)
  expect(seen).toEqual([undefined])
  expect(lines).toHaveLength(2)
  expect(clock.pending()).toBe(0)
})

test('publish ends when every listener of the table has refreshed', async () => {
  const { changes, seen } = hub()
  changes.subscribe('users', async () => {
    await Bun.sleep(5)
    seen.push('slow')
  })
  await changes.publish('users', 'a')
  expect(seen).toEqual(['a', 'slow'])
})

test('one that failed while everything was being read is not forgotten when that ends well', async () => {
  const clock = handClock()
  const changes = createChanges({ clock, log: () => {}, pollMs: 30_000 })
  const reading = Promise.withResolvers<void>()
  const seen: (string | undefined)[] = []
  let failing = true
  changes.subscribe('users', async (id) => {
    seen.push(id)
    if (id !== undefined && failing) throw new Error('gone')
    if (seen.length === 1) await reading.promise
  })
  changes.missed()
  await changes.publish('users', 'a')
  reading.resolve()
  await Bun.sleep(5)
  failing = false
  await clock.advance(1_000)
  expect(seen).toStrictEqual([undefined, 'a', undefined])
})
