/** The books with the database behind a worker, as the program has them. What both ways promise is tested with `leased-books.test.ts`. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { systemClock as clock } from '#runtime/clock'
import { createLog, type Log } from '#runtime/log'
import { unpacked } from '#store/ledger/row-detail'
import { chargesIn } from '#testing/books/invariants'
import { booksPlace, codeOf, type Place } from '#testing/books/test-books'
import { engines, sampledEngines } from '#testing/database/database'
import { workerProbe } from '#testing/database/worker-probe'
import { usageRow } from '#testing/usage-row'
import type { LeasedBooksOptions } from './leased-books.ts'
import { remoteBooks } from './remote-books.ts'

/** Where the tests that keep a processor busy for seconds run. */
const busy = sampledEngines(import.meta.file)

describe.each([...engines])('books with their database behind a worker, on %s', (engine) => {
  let place: Place
  let requests = 0
  beforeAll(async () => {
    place = await booksPlace(engine)
  }, 60_000)
  afterEach(async () => expect(await place.settled()).toEqual([]))
  afterAll(() => place.close())

  function worker() {
    if (!place.store.worker) throw new Error('the store has no worker')
    return place.store.worker
  }
  const begin = (more: Partial<LeasedBooksOptions> = {}) => place.begin({ database: remoteBooks(worker()), ...more })
  const row = (userId: string, cost: bigint) => usageRow({ requestId: `r${++requests}`, userId, cost })
  /** A log that keeps what is warned of, and errors. */
  function listening() {
    const heard: string[] = []
    const note = (_: object, message: string) => void heard.push(message)
    return { heard, log: { ...createLog('silent'), warn: note, error: note } satisfies Log }
  }
  const charged = async (id: string) => (await chargesIn(place.store)).get(id)

  test('charge every request once, in the order of their ends', async () => {
    const books = await begin({ settleWaits: true })
    const id = await place.wallet(1_000_000n)
    await Promise.all(
      Array.from({ length: 700 }, async (_, n) => {
        const each = row(id, BigInt(n % 7))
        await books.hold(each.requestId, [{ id }], 10n)
        await (n % 5 === 0 ? books.release({ ...each, cost: 0n }) : books.settle(each))
      }),
    )
    expect(await books.flush()).toBe(true)
    const sum = Array.from({ length: 700 }, (_, n) => (n % 5 === 0 ? 0 : n % 7)).reduce((a, b) => a + b, 0)
    expect((await place.money(id))[0]).toBe(1_000_000n - BigInt(sum))
  })

  test('keep every character, number and absent value of a row', async () => {
    const books = await begin({ settleWaits: true })
    const id = await place.wallet(1_000n)
    const odd = { ...row(id, 1n), model: 'a "b" \\ {c},\n ü 😀', losses: [{ code: 'x', path: 'y' }], firstTokenMs: null, upstreamCost: 7n }
    await books.hold(odd.requestId, [{ id }], 1n)
    await books.settle(odd as never)
    const found = await place.store.db.query.logs.findFirst({ where: (logs, { eq }) => eq(logs.requestId, odd.requestId) })
    expect(found && unpacked(found)).toMatchObject({ ...odd, charged: 1n })
  })

  test('write the lines around one that can never be written', async () => {
    const { heard, log } = listening()
    const books = await begin({ log })
    const id = await place.wallet(1_000n)
    const rows = Array.from({ length: 9 }, () => row(id, 3n))
    for (const each of rows) await books.hold(each.requestId, [{ id }], 3n)
    await Promise.all(rows.map((each, n) => books.settle(n === 4 ? { ...each, totalMs: 1e12 } : each)))
    expect(await books.flush()).toBe(true)
    expect(heard).toEqual(['a request could not be settled'])
    expect(await Promise.all(rows.map((each) => charged(each.requestId)))).toEqual([3n, 3n, 3n, 3n, undefined, 3n, 3n, 3n, 3n])
  })

  test.if(busy.includes(engine))('refuse nobody and report nothing while the thread that carries streams is busy', async () => {
    const { heard, log } = listening()
    const books = await begin({ log })
    const ids = await Promise.all(Array.from({ length: 30 }, () => place.wallet(1_000n)))
    const asked = ids.map((id) => codeOf(books.hold(row(id, 0n).requestId, [{ id }], 100n)))
    // The first call is running; this thread has processed no event since.
    for (let turns = 0; turns < 50; turns++) await Promise.resolve()
    for (const until = clock.monotonic() + 3_000; clock.monotonic() < until; );
    const later = ids.map((id) => codeOf(books.hold(row(id, 0n).requestId, [{ id }], 100n)))
    expect(new Set(await Promise.all([...asked, ...later]))).toEqual(new Set(['ok']))
    expect(heard).toEqual([])
    expect(books.answering()).toBe(true)
  })

  test.if(busy.includes(engine))(
    'lose nothing when the worker dies, and go on with the next one',
    async () => {
      const books = await begin({ coverMs: 60_000 })
      const id = await place.wallet(1_000_000n)
      let settled = 0n
      const until = clock.monotonic() + 4_000
      async function client(): Promise<void> {
        while (clock.monotonic() < until) {
          const each = row(id, 3n)
          const code = await codeOf(books.hold(each.requestId, [{ id }], 5n))
          if (code === 'ok') {
            await clock.sleep(2)
            await books.settle(each)
            settled += 3n
          }
          await clock.sleep(5)
        }
      }
      const clients = Array.from({ length: 10 }, client)
      for (let n = 0; n < 2; n++) {
        await clock.sleep(600)
        await worker()
          .call({ module: workerProbe, name: 'dieAfter', payload: 1 })
          .catch(() => {})
        await clock.sleep(1_200)
      }
      await Promise.all(clients)
      while (!(await books.flush()));
      expect((await place.money(id))[0]).toBe(1_000_000n - settled)
      expect(settled).toBeGreaterThan(0n)
    },
    30_000,
  )

  test('never write off an instance that lives, however short the time that is set', async () => {
    const living = await begin()
    const id = await place.wallet(1_000n)
    await living.hold(row(id, 0n).requestId, [{ id }], 10n)
    let ahead = 0
    const monotonic = () => clock.monotonic() + ahead
    const other = await begin({ writeOffMs: 0, clock: { ...clock, monotonic } })
    ahead = 61_000
    expect(await other.writeOff()).toBe(0)
    const each = row(id, 4n)
    expect(await codeOf(living.hold(each.requestId, [{ id }], 10n))).toBe('ok')
    await living.settle(each)
  })

  test('give everything back at their end', async () => {
    const books = await begin()
    const id = await place.wallet(1_000n)
    const each = row(id, 4n)
    await books.hold(each.requestId, [{ id }], 10n)
    void books.settle(each)
    await books.close()
    expect(await place.money(id)).toEqual([996n, 0n])
    expect(await charged(each.requestId)).toBe(4n)
  })
})
