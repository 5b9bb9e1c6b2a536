import { afterAll, beforeAll, expect, test } from 'bun:test'
import { systemClock } from '#runtime/clock'
import type { Budget } from '#shared/console/limits'
import { booksPlace, codeOf, type Place } from '#testing/books/test-books'
import { sampledEngines } from '#testing/database/database'
import { usageRow } from '#testing/usage-row'
import { directBooks } from './books-database.ts'
import { budgetAccounts } from './budgets.ts'

let place: Place
beforeAll(async () => {
  const [engine = 'embedded'] = sampledEngines(import.meta.file)
  place = await booksPlace(engine)
}, 60_000)
afterAll(() => place.close())

const midnight = Date.parse('2026-03-02T00:00:00Z')
const budget: Budget = { daily: '1', weekly: '3', total: '9' }
const budgeted = (id: string) => ({ of: 'key', id, budget }) as const

test('windows that begin soon are opened a few at a time, for those who used the last one, and nobody begins them again', async () => {
  let now = midnight - 3_600_000
  const clock = { ...systemClock, now: () => now }
  const direct = directBooks(place.store, clock)
  const calls: number[] = []
  const openBudgets: typeof direct.openBudgets = (budgets) => {
    calls.push(budgets.length)
    return direct.openBudgets(budgets)
  }
  const budgetOf = (of: string, id: string) => (of === 'key' && id !== 'gone:day:x' ? budget : null)
  const books = await place.begin({ clock, budgetOf, database: { ...direct, openBudgets } }, 'here')
  const wallet = await place.wallet(10n ** 12n)
  const keys = [...Array.from({ length: 24 }, (_, n) => `key:${n}`), 'gone:day:x']
  const spend = async (name: string) => {
    for (const key of keys) {
      const row = usageRow({ requestId: `${name} ${key}`, at: new Date(now), userId: wallet, keyId: key, cost: 5n })
      const accounts = [{ id: wallet }, ...budgetAccounts([budgeted(key)], now)]
      expect(await codeOf(books.hold(row.requestId, accounts, 10n))).toBe('ok')
      await books.settle(row)
    }
    await books.flush()
  }
  await spend('before')
  // The second of March 2026 is a Monday: days and weeks begin.
  expect(await books.openAhead()).toBe(48)
  expect(Math.max(...calls)).toBeLessThanOrEqual(10)
  expect(await books.openAhead()).toBe(0)
  const begun = async () => (await place.store.db.query.accounts.findMany()).filter(({ from }) => from?.getTime() === midnight)
  expect((await begun()).map(({ free, limit }) => free === limit)).toEqual(Array.from({ length: 48 }, () => true))
  now = midnight + 1_000
  await spend('after')
  // Only the key whose budget was not known had to begin.
  expect(await begun()).toHaveLength(50)
}, 60_000)
