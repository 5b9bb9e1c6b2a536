/** A budget removed while parts of it are leased: it limits no one, nothing of it stays on lease, and it still counts if restored. */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import type { Account } from '#billing/lease/account'
import { systemClock as clock } from '#runtime/clock'
import type { Budget } from '#shared/console/limits'
import { chargesIn, leasedOf } from '#testing/books/invariants'
import { booksPlace, codeOf, here, type Place } from '#testing/books/test-books'
import { sampledEngine } from '#testing/database/database'
import { usageRow } from '#testing/usage-row'
import { directBooks } from './books-database.ts'
import { budgetAccounts } from './budgets.ts'
import { removeOldBudgets } from './budgets-removed.ts'

let place: Place
beforeAll(async () => {
  place = await booksPlace(sampledEngine(import.meta.file))
}, 60_000)
afterEach(async () => expect(await place.settled()).toEqual([]), 30_000)
afterAll(() => place.close())

const budgetAccount = (key: string, limit: bigint): Account => ({
  id: `budget:key:${key}:total:`,
  budget: { limit, of: 'key', ofId: key, span: 'total', from: null, until: null },
})

test.each<[string, Budget | null]>([
  ['the whole budget', null],
  ['its total, of several caps', { daily: '1' }],
])(
  '%s is removed while a request and a lease of it are open',
  async (_, then) => {
    let budget: Budget | null = { total: '0.000001' }
    const id = await place.wallet(1_000_000n)
    const row = (name: string, cost: bigint) => usageRow({ requestId: `${id}-${name}`, userId: id, keyId: id, cost })
    const capped = budgetAccount(id, 1_000n)
    const books = await place.begin({ budgetOf: () => budget })
    await books.hold(`${id}-before`, [{ id }, capped], 100n)
    await books.settle(row('before', 100n))
    await books.hold(`${id}-long`, [{ id }, capped], 800n)
    expect(await books.grow(`${id}-long`, 200n)).toBe(false)

    budget = then
    expect(await books.grow(`${id}-long`, 200n)).toBe(true)
    // All of it is given back although the request continues.
    for (let tries = 0; tries < 100 && (await leasedOf(place.store, capped.id)) > 0n; tries++) await clock.sleep(100)
    expect(await leasedOf(place.store, capped.id)).toBe(0n)
    expect(await books.grow(`${id}-long`, 5_000n)).toBe(true)
    expect(await leasedOf(place.store, capped.id)).toBe(0n)
    books.progress(row('long', 3_000n))
    await books.settle(row('long', 5_500n))
    await books.hold(`${id}-after`, [{ id }], 300n)
    await books.settle(row('after', 300n))
    await books.flush()
    const charges = await chargesIn(place.store)
    expect(['before', 'long', 'after'].map((name) => charges.get(`${id}-${name}`))).toEqual([100n, 5_500n, 300n])
    expect(await place.money(id)).toEqual([994_100n, 0n])

    // It counts what was charged meanwhile.
    budget = { total: '0.000006' }
    expect(await codeOf(books.hold(`${id}-more`, [{ id }, budgetAccount(id, 6_000n)], 101n))).toBe('insufficient_quota')
    expect(await codeOf(books.hold(`${id}-last`, [{ id }, budgetAccount(id, 6_000n)], 100n))).toBe('ok')
    await books.release(row('last', 0n))
  },
  60_000,
)

test('a budget that was removed, or has other windows now, is let go of, and later lines go the usual way again', async () => {
  const [day, berlin]: Budget[] = [
    { daily: '1', total: '1' },
    { daily: '1', timezone: 'Europe/Berlin' },
  ]
  let budget: Budget | null | undefined = day
  let slow = 0
  // The usual call is a prepared statement, the slow one is composed.
  const db = new Proxy(place.store.db, {
    get(target, name) {
      const found = Reflect.get(target, name)
      if (name !== 'execute') return typeof found === 'function' ? found.bind(target) : found
      return (...args: Parameters<typeof target.execute>) => {
        slow += 1
        return target.execute(...args)
      }
    },
  })
  const direct = directBooks(place.store, clock)
  const database = { ...direct, sync: directBooks({ db }, clock).sync }
  const id = await place.wallet(1_000_000_000n)
  const parts = { database, clock, budgetOf: (of: string, owner: string) => (of === 'key' && owner === id ? budget : undefined) }
  const books = await place.begin(parts, here)
  let count = 0
  /** Whether the line of one more request went the slow way. */
  async function isSlow(): Promise<boolean> {
    const name = `${id}-${++count}`
    const accounts = budgetAccounts([{ of: 'key', id, budget: budget ?? null }], clock.now())
    await books.hold(name, [{ id }, ...accounts], 10n)
    await books.flush()
    await books.settle(usageRow({ requestId: name, at: new Date(clock.now()), userId: id, keyId: id, cost: 10n }))
    slow = 0
    await books.flush()
    return slow > 0
  }
  const opened = async () => (await place.store.db.query.accounts.findMany()).filter(({ ofId }) => ofId === id).map(({ id }) => id)
  /** Until nothing of the old ones is on lease, and a look has found them. */
  async function until(left: number): Promise<void> {
    while ((await opened()).length > left) {
      await removeOldBudgets(parts)
      await clock.sleep(50)
    }
  }
  expect(await isSlow()).toBe(false)
  expect(await opened()).toHaveLength(2)

  budget = berlin
  expect(await isSlow()).toBe(true)
  await until(1)
  expect(await isSlow()).toBe(false)
  expect((await opened())[0]).toContain(':day:')

  budget = null
  expect(await isSlow()).toBe(true)
  await until(0)
  expect(await isSlow()).toBe(false)

  // One that comes back counts all five requests before it, and has room for one more.
  budget = { total: '0.00000006' }
  expect(await isSlow()).toBe(false)
  expect(await codeOf(books.hold(`${id}-beyond`, [{ id }, ...budgetAccounts([{ of: 'key', id, budget }], clock.now())], 1n))).toBe(
    'insufficient_quota',
  )
  // An owner that is not known here keeps what it has.
  budget = undefined
  expect(await removeOldBudgets(parts)).toBe(0)
  expect(await opened()).toHaveLength(1)
}, 60_000)
