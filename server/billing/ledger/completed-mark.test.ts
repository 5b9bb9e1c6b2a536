/** What a start reads of the journals that earlier runs have left. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { openJournal } from '#billing/journal/journal'
import { systemClock as clock, systemRandom as random } from '#runtime/clock'
import { createLog } from '#runtime/log'
import { booksPlace, type Place } from '#testing/books/test-books'
import { sampledEngines } from '#testing/database/database'
import { runSql } from '#testing/database/tables'
import { usageRow } from '#testing/usage-row'
import { type BooksDatabase, directBooks } from './books-database.ts'
import type { LeasedBooks } from './leased-books.ts'

let place: Place
beforeAll(async () => {
  const [engine = 'embedded'] = sampledEngines(import.meta.file)
  place = await booksPlace(engine)
}, 60_000)
afterAll(() => place.close())

/** A database that counts the lines that it is asked for. */
function counting() {
  const database = directBooks(place.store, clock)
  const counts = { asked: 0, calls: 0 }
  const missing: BooksDatabase['missing'] = (lines, withinMs) => {
    counts.asked += lines.length
    counts.calls += 1
    return database.missing(lines, withinMs)
  }
  return { counts, database: { ...database, missing } }
}

const charged = async (id: string) => (await place.money(id))[0]

async function spend(books: LeasedBooks, id: string, count: number, name: string): Promise<void> {
  for (let n = 0; n < count; n++) {
    const row = usageRow({ requestId: `${name}${n}`, userId: id, cost: 1n })
    await books.hold(row.requestId, [{ id }], 1n)
    await books.settle(row)
  }
  await books.flush()
}

test('a completed journal is not read again, unless the database has lost what came after', async () => {
  const id = await place.wallet(10_000n)
  const folder = `${place.base.folder}/kept/journal`
  const first = await place.begin({ folder, installation: 'kept' }, 'here')
  await spend(first, id, 300, 'a')
  await first.close()

  const second = counting()
  await (await place.begin({ folder, installation: 'kept', database: second.database }, 'here')).close()
  expect(second.counts.asked).toBe(0)

  // As after a failover that lost the last commits: the instance is as it was before its end.
  await runSql(place.store, `update instances set seq = 1 where folder = 'kept'`)
  const third = counting()
  await (await place.begin({ folder, installation: 'kept', database: third.database }, 'here')).close()
  expect(third.counts.asked).toBe(300)
  expect(await charged(id)).toBe(9_700n)
}, 60_000)

test('a journal that a kill left is written in large batches, once, and is completed then', async () => {
  const id = await place.wallet(10_000n)
  const folder = `${place.base.folder}/killed/journal`
  const instance = BigInt(`0x${random.hex(6)}`)
  const { database, counts } = counting()
  await database.register(instance, 'killed')
  await database.sync({
    ...{ instance, seq: 1n, lines: [], own: [] },
    ask: [[{ account: id, need: 3_000n, want: 3_000n }]],
  })
  const files = { folder: `${folder}/${instance}`, instance, fsync: 'never', maxBytes: 64 * 1024 * 1024 } as const
  const journal = await openJournal({ ...files, clock, log: createLog('silent') })
  for (let n = 0; n < 2_500; n++) {
    journal.open(`k${n}`, [id], 1n)
    journal.settle({ row: usageRow({ requestId: `k${n}`, userId: id, cost: 1n }), accounts: [id], owed: 1n, covered: 1n })
    if (n % 100 === 0) await clock.sleep(1)
  }
  await journal.close(true)

  for (const asked of [2_500, 2_500]) {
    await (await place.begin({ folder, installation: 'killed', database }, 'here')).close()
    expect(counts.asked).toBe(asked)
    expect(await charged(id)).toBe(7_500n)
  }
  expect(counts.calls).toBeLessThan(5)
}, 60_000)
