/** No end reaches the database before the journal. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readLines } from '#billing/journal/journal-line'
import { systemClock as clock } from '#runtime/clock'
import { booksPlace, type Place } from '#testing/books/test-books'
import { usageRow } from '#testing/usage-row'
import type { BooksDatabase } from './books-database.ts'
import { directBooks } from './books-database.ts'

let place: Place
beforeAll(async () => {
  place = await booksPlace('embedded')
}, 60_000)
afterAll(async () => {
  expect(await place.settled()).toEqual([])
  await place.close()
})

/** The requests whose ends the journals below this folder have. */
function endsBelow(folder: string): Set<string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\d+\.log$/.test(name))
  const lines = names.flatMap((name) => [...readLines(readFileSync(join(folder, name)))])
  return new Set(lines.flatMap((line) => (line?.kind === 's' ? [line.id] : [])))
}

test('the journal has an end before the database hears of it, whoever hurries the call', async () => {
  const direct = directBooks(place.store, clock)
  const told: string[] = []
  const early: string[] = []
  const sync: BooksDatabase['sync'] = (call, ...rest) => {
    const ends = endsBelow(place.base.folder)
    for (const { id } of call.lines) {
      told.push(id)
      if (!ends.has(id)) early.push(id)
    }
    return direct.sync(call, ...rest)
  }
  const books = await place.begin({ database: { ...direct, sync }, settleWaits: false, coverMs: 60_000 })
  const id = await place.wallet(1_000_000n)
  const name = (n: string) => `${id}-${n}`
  const hold = (n: string, amount: bigint) => books.hold(name(n), [{ id }], amount)
  const settle = (n: string) => books.settle(usageRow({ requestId: name(n), cost: 1n, userId: id }))
  await hold('warm', 10n)
  await settle('warm')
  await books.flush()
  await clock.sleep(50)
  // Rows are requested in the turn in which a request ends.
  await hold('read', 10n)
  void books.written()
  await settle('read')
  await books.flush()
  await clock.sleep(50)
  // A hold for which there is not enough on lease, in step with an end.
  await hold('in step', 10n)
  await Promise.all([Promise.resolve().then(() => hold('large', 900_000n)), Promise.resolve().then(() => settle('in step'))])
  await settle('large')
  await books.flush()
  expect(told.sort()).toEqual(['in step', 'large', 'read', 'warm'].map(name).sort())
  expect(early).toEqual([])
})
