/** How often the database is asked, and by whom it is waited for: counted on the connection. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import type { Account } from '#billing/lease/account'
import { systemClock as clock } from '#runtime/clock'
import { booksPlace, codeOf, here, type Place } from '#testing/books/test-books'
import { sampledEngines } from '#testing/database/database'
import { countStatements, type Statements } from '#testing/database/statements'
import { usageRow } from '#testing/usage-row'
import { directBooks } from './books-database.ts'
import type { LeasedBooks } from './leased-books.ts'

const budgetOf = (key: string): Account => ({
  id: `budget:key:${key}:total:`,
  budget: { limit: 10n ** 12n, of: 'key', ofId: key, span: 'total', from: null, until: null },
})

describe.each(sampledEngines(import.meta.file))('trips to the database on %s', (engine) => {
  let place: Place
  let statements: Statements
  beforeAll(async () => {
    place = await booksPlace(engine)
  }, 60_000)
  afterEach(async () => {
    statements.stop()
    expect(await place.settled()).toEqual([])
  }, 30_000)
  afterAll(() => place.close())

  /** An instance whose statements are counted. */
  async function begin(): Promise<LeasedBooks> {
    const books = await place.begin({}, here)
    statements = countStatements(place.store)
    return books
  }

  /** One request; answers how many statements were answered before it could go on. */
  async function inFront(books: LeasedBooks, id: string, accounts: readonly Account[], amount: bigint, cost: bigint): Promise<number> {
    let at: number | undefined
    const before = statements.answered()
    const hold = books.hold(id, accounts, amount).then(() => {
      at = statements.answered() - before
    })
    // A request served without a turn of the event loop waited for no answer.
    for (let turns = 0; turns < 20; turns++) await Promise.resolve()
    const warm = at !== undefined
    await hold
    const userId = accounts[0]?.id ?? ''
    void books.settle(usageRow({ requestId: id, userId, keyId: accounts.length > 1 ? userId : null, cost }))
    return warm ? 0 : Math.max(1, at ?? 0)
  }

  test('a thousand requests of cold and warm keys with refills, then a thousand of warm ones: none of these waits', async () => {
    const books = await begin()
    const keys = await Promise.all(Array.from({ length: 20 }, () => place.wallet(10_000_000_000n)))
    const run = async (name: string) => {
      const histogram = new Map<number, number>()
      const before = statements.sent()
      for (let n = 0; n < 1000; n++) {
        const id = keys[n % keys.length] ?? ''
        const accounts = n % 2 === 0 ? [{ id }, budgetOf(id)] : [{ id }]
        const front = await inFront(books, `${id}-${name}-${n}`, accounts, 1_000_000n, 900_000n)
        histogram.set(front, (histogram.get(front) ?? 0) + 1)
        if (n % 100 === 99) await books.flush()
      }
      const counts = Object.fromEntries([...histogram].sort(([a], [b]) => a - b))
      console.log(
        `${engine}, ${name}: requests by statements in front ${JSON.stringify(counts)}, statements in all ${statements.sent() - before}`,
      )
      return { histogram, sent: statements.sent() - before }
    }
    const cold = await run('cold')
    expect(cold.histogram.get(0) ?? 0).toBeGreaterThan(900)
    expect([...cold.histogram.keys()].every((n) => n <= 2)).toBe(true)
    const warm = await run('warm')
    expect(warm.histogram).toEqual(new Map([[0, 1000]]))
    expect(warm.sent).toBeLessThan(500)
  }, 60_000)

  test('two hundred who wait are served by one take, for it asks for all of them', async () => {
    const books = await begin()
    const id = await place.wallet(1_000_000n)
    const before = statements.sent()
    const codes = await Promise.all(Array.from({ length: 200 }, (_, n) => codeOf(books.hold(`${id}-${n}`, [{ id }], 100n))))
    expect(new Set(codes)).toEqual(new Set(['ok']))
    expect(statements.sent() - before).toBeLessThanOrEqual(3)
    for (let n = 0; n < 200; n++) void books.release(usageRow({ requestId: `${id}-${n}`, userId: id }))
  })

  test('an empty account cannot keep the database busy: a refusal is remembered for a moment', async () => {
    const books = await begin()
    const id = await place.wallet(99n)
    const before = statements.sent()
    const started = clock.monotonic()
    let refused = 0
    while (clock.monotonic() - started < 1_000) {
      expect(await codeOf(books.hold(`${id}-${refused}`, [{ id }], BigInt(100 + (refused % 5))))).toBe('insufficient_quota')
      refused += 1
      if (refused % 100 === 0) await clock.sleep(0)
    }
    const sent = statements.sent() - before
    console.log(`${engine}: ${refused} refusals in a second cost ${sent} statements`)
    expect(refused).toBeGreaterThan(200)
    expect(sent).toBeLessThan(40)
    // Less than what was refused is asked for at once.
    expect(await codeOf(books.hold(`${id}-less`, [{ id }], 99n))).toBe('ok')
    await books.release(usageRow({ requestId: `${id}-less`, userId: id }))
  })

  test('many that end together cost few calls, although each waits for its row', async () => {
    const books = await place.begin({ settleWaits: true }, here)
    statements = countStatements(place.store)
    const id = await place.wallet(1_000_000n)
    for (let n = 0; n < 300; n++) await books.hold(`${id}-${n}`, [{ id }], 100n)
    const before = statements.sent()
    await Promise.all(Array.from({ length: 300 }, (_, n) => books.settle(usageRow({ requestId: `${id}-${n}`, userId: id, cost: 10n }))))
    expect(statements.sent() - before).toBeLessThanOrEqual(4)
    expect((await place.money(id))[0]).toBe(997_000n)
  })

  test('where a crowd waits, what has ended and what it asks for take turns: neither makes the other wait for a long call', async () => {
    const direct = directBooks(place.store, clock)
    let served = 0
    const cold = await Promise.all(Array.from({ length: 300 }, () => place.wallet(10_000n)))
    const warm = await place.wallet(10n ** 12n)
    /** Of the calls while more than a hundred wait: how many had lines, how many asked. */
    const beside: { lines: number; asks: number }[] = []
    const sync: typeof direct.sync = (call, withinMs) => {
      if (cold.length - served > 100) beside.push({ lines: call.lines.length, asks: call.ask.length })
      return direct.sync(call, withinMs)
    }
    const books = await place.begin({ database: { ...direct, sync } }, here)
    statements = countStatements(place.store)
    let count = 0
    const request = async () => {
      const id = `${warm}-${++count}`
      await books.hold(id, [{ id: warm }], 10n)
      await books.settle(usageRow({ requestId: id, userId: warm, cost: 10n }))
    }
    await request()
    await books.flush()
    beside.length = 0
    const crowd = cold.map(async (id) => {
      await books.hold(`${id}-c`, [{ id }], 10n)
      served += 1
      await books.release(usageRow({ requestId: `${id}-c`, userId: id, cost: 0n }))
    })
    while (served < cold.length) {
      await request()
      void books.written()
      await clock.sleep(1)
    }
    await Promise.all(crowd)
    expect(beside.filter(({ lines, asks }) => lines > 0 && asks > 0)).toEqual([])
    expect(beside.some(({ asks }) => asks > 0)).toBe(true)
  }, 60_000)
})
