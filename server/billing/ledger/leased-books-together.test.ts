/** Several instances on one PostgreSQL, and what they do without it. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { systemClock as clock } from '#runtime/clock'
import { leasedOf } from '#testing/books/invariants'
import { booksPlace, codeOf, type Place } from '#testing/books/test-books'
import { engines } from '#testing/database/database'
import { runSql } from '#testing/database/tables'
import { type Cuttable, cuttable } from '#testing/upstream/cuttable'
import { usageRow } from '#testing/usage-row'
import type { LeasedBooks } from './leased-books.ts'

const row = (requestId: string, cost: bigint) => usageRow({ requestId, cost })

describe.if(engines.includes('postgres'))('leased books', () => {
  let place: Place
  let way: Cuttable
  beforeAll(async () => {
    place = await booksPlace('postgres')
    way = await cuttable(place.base.databaseUrl ?? '')
  }, 60_000)
  afterEach(async () => {
    await way.mend()
    expect(await place.settled()).toEqual([])
  }, 30_000)
  afterAll(async () => {
    await way.cut()
    await place.close()
  })
  const balance = async (id: string) => (await place.money(id))[0]

  test('what one holds idle is given back when another needs the last of it', async () => {
    const [a, b] = [await place.begin(), await place.begin()]
    const id = await place.wallet(1000n)
    await a.hold(`${id}-a`, [{ id }], 100n)
    await a.settle(row(`${id}-a`, 100n))
    await a.flush()
    expect(await leasedOf(place.store, id)).toBeGreaterThan(0n)
    let code = ''
    for (let tries = 0; tries < 4 && code !== 'ok'; tries++) code = await codeOf(b.hold(`${id}-b${tries}`, [{ id }], 900n))
    expect(code).toBe('ok')
    expect(await codeOf(a.hold(`${id}-a2`, [{ id }], 1n))).toBe('insufficient_quota')
    for (let tries = 0; tries < 4; tries++) await b.settle(row(`${id}-b${tries}`, 900n))
  })

  test('L-1 four empty one wallet together, to the last that fits, and not beyond', async () => {
    const all = await Promise.all([place.begin(), place.begin(), place.begin(), place.begin()])
    const id = await place.wallet(20_000n)
    let granted = 0
    async function drain(books: LeasedBooks, name: string): Promise<void> {
      for (let n = 0, refusals = 0; refusals < 3; n++) {
        const code = await codeOf(books.hold(`${id}-${name}-${n}`, [{ id }], 70n))
        if (code !== 'ok') {
          expect(code).toBe('insufficient_quota')
          refusals += 1
          continue
        }
        granted += 1
        void books.settle(row(`${id}-${name}-${n}`, 70n))
      }
    }
    await Promise.all(all.map((books, index) => drain(books, `${index}`)))
    await Promise.all(all.map((books) => books.flush()))
    expect(granted).toBe(285)
    expect(await balance(id)).toBe(50n)
  }, 30_000)

  test('goes on within its leases while the database is away, says so when they end, and loses nothing', async () => {
    const books = await place.begin({}, way.url)
    const [id, cold] = [await place.wallet(1_000_000n), await place.wallet(1000n)]
    await books.hold(`${id}-first`, [{ id }], 100n)
    for (let n = 0; n < 200; n++) {
      await books.hold(`${id}-warm-${n}`, [{ id }], 100n)
      await books.settle(row(`${id}-warm-${n}`, 100n))
      if (n % 20 === 0) await books.flush()
    }
    await way.cut()
    let served = 0
    let code = 'ok'
    while (code === 'ok' && served < 100_000) {
      code = await codeOf(books.hold(`${id}-${served}`, [{ id }], 100n))
      if (code !== 'ok') break
      await books.settle(row(`${id}-${served}`, 100n))
      served += 1
    }
    expect(served).toBeGreaterThan(50)
    expect(code).toBe('books_unavailable')
    expect(books.answering()).toBe(false)
    expect(await codeOf(books.hold(cold, [{ id: cold }], 1n))).toBe('books_unavailable')
    await books.settle(row(`${id}-first`, 100n))
    await way.mend()
    for (let tries = 0; tries < 200 && !(await books.flush()); tries++) await clock.sleep(50)
    expect(await balance(id)).toBe(1_000_000n - 100n * BigInt(served + 201))
    expect(await codeOf(books.hold(cold, [{ id: cold }], 1n))).toBe('ok')
    await books.release(row(cold, 0n))
  }, 30_000)

  test('a budget that takes long to be added up keeps no other request out of the books', async () => {
    const books = await place.begin()
    const [id, slow] = [await place.wallet(1000n), await place.wallet(1000n)]
    const total = { limit: 10n, of: 'key', ofId: slow, span: 'total', from: null, until: null } as const
    await books.hold(`${id}-1`, [{ id }], 10n)
    let open = false
    let asking = true
    // Usage rows are being written all the time: until that ends, the budget cannot begin.
    const writer = place.store.db.transaction(async (tx) => {
      await runSql({ ...place.store, db: tx }, 'select pg_advisory_xact_lock_shared(727539265)')
      while (!open) await clock.sleep(20)
    })
    const asked = (async () => {
      for (let n = 0; asking; n++) {
        void codeOf(books.hold(`${slow}-${n}`, [{ id: slow }, { id: `budget:${slow}`, budget: total }], 20n))
        await clock.sleep(50)
      }
    })()
    await clock.sleep(200)
    await books.settle(row(`${id}-1`, 7n))
    const started = clock.monotonic()
    while ((await balance(id)) !== 993n && clock.monotonic() - started < 20_000) await clock.sleep(50)
    asking = false
    await asked
    open = true
    await writer
    expect(await balance(id)).toBe(993n)
    for (let tries = 0; tries < 200 && !(await books.flush()); tries++) await clock.sleep(50)
    expect(await codeOf(books.hold(`${slow}-last`, [{ id: slow }, { id: `budget:${slow}`, budget: total }], 10n))).toBe('ok')
    await books.release({ ...row(`${slow}-last`, 0n) })
  }, 60_000)

  test('takes in no more than the journal has room for, and goes on when the database is back', async () => {
    const books = await place.begin({ maxBytes: 64 * 1024 }, way.url)
    const id = await place.wallet(1_000_000_000n)
    for (let n = 0; n < 20; n++) {
      await books.hold(`${id}-warm-${n}`, [{ id }], 10_000_000n)
      await books.settle(row(`${id}-warm-${n}`, 1n))
      await books.flush()
    }
    await way.cut()
    let served = 0
    let code = 'ok'
    while (code === 'ok') {
      code = await codeOf(books.hold(`${id}-${served}`, [{ id }], 1000n))
      if (code !== 'ok') break
      await books.settle(row(`${id}-${served}`, 1n))
      await clock.sleep(1)
      served += 1
    }
    expect(code).toBe('journal_full')
    await way.mend()
    for (let tries = 0; tries < 200 && !(await books.flush()); tries++) await clock.sleep(50)
    expect(await balance(id)).toBe(1_000_000_000n - BigInt(served + 20))
    // The next file is being made.
    for (let tries = 0; tries < 200 && code !== 'ok'; tries++) {
      code = await codeOf(books.hold(`${id}-after`, [{ id }], 1000n))
      if (code !== 'ok') await clock.sleep(20)
    }
    expect(code).toBe('ok')
    await books.release(row(`${id}-after`, 0n))
  }, 30_000)
})
