/**
 * Requests that a wallet and budgets pay together, on both engines in a deep run: all of them or none, and what is left of each is what the
 * rows say.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import type { Account, BudgetWindow } from '#billing/lease/account'
import { GatewayError } from '#shared/errors'
import { sweepBudgets } from '#store/ledger/leases'
import { chargesIn, leasedOf } from '#testing/books/invariants'
import { booksPlace, codeOf, type Place } from '#testing/books/test-books'
import { sampledEngines } from '#testing/database/database'
import { seeded } from '#testing/seeded'
import { usageRow } from '#testing/usage-row'
import type { LeasedBooks } from './leased-books.ts'

const dayMs = 86_400_000
const at = new Date(1_700_000_000_000)

/** The budget of a key, without an end or for the day of `at`. */
function budget(key: string, limit: bigint, from: Date | null = null): Account & { budget: BudgetWindow } {
  const until = from && new Date(from.getTime() + dayMs)
  return {
    id: `budget:key:${key}:${from?.toISOString() ?? 'total:'}`,
    budget: { limit, of: 'key', ofId: key, span: from ? 'day' : 'total', from, until },
  }
}

async function messageOf(work: Promise<unknown>): Promise<string> {
  try {
    await work
    return ''
  } catch (thrown) {
    return thrown instanceof GatewayError ? thrown.message : String(thrown)
  }
}

describe.each(sampledEngines(import.meta.file))('books with budgets on %s', (engine) => {
  let place: Place
  beforeAll(async () => {
    place = await booksPlace(engine)
  }, 60_000)
  afterEach(async () => expect(await place.settled()).toEqual([]), 30_000)
  afterAll(() => place.close())

  const row = (requestId: string, userId: string, keyId: string, cost: bigint) => usageRow({ requestId, userId, keyId, cost, at })
  const limitOf = async (id: string) => {
    const [found] = await place.store.db.query.accounts.findMany({ where: (accounts, { eq }) => eq(accounts.id, id) })
    return found?.limit
  }
  const freeOf = async (id: string) => {
    const [found] = await place.store.db.query.accounts.findMany({ where: (accounts, { eq }) => eq(accounts.id, id) })
    return found?.free
  }

  test.each([0, 60_000])('a budget that is lowered bounds what runs already, and stays lowered (cover %d ms)', async (coverMs) => {
    let total = '0.000001'
    const books = await place.begin({ coverMs, budgetOf: (of, id) => (of === 'key' && id.startsWith('w') ? { total } : null) })
    const id = await place.wallet(1_000_000n)
    const accounts = [{ id }, budget(id, 1000n)]
    expect(await codeOf(books.hold(`${id}-long`, accounts, 100n))).toBe('ok')
    expect(await books.grow(`${id}-long`, 100n)).toBe(true)
    total = '0.00000025'
    expect(await books.grow(`${id}-long`, 50n)).toBe(true)
    expect(await books.grow(`${id}-long`, 1n)).toBe(false)
    await books.settle(row(`${id}-long`, id, id, 250n))
    await books.flush()
    expect(await limitOf(accounts[1]?.id ?? '')).toBe(250n)
    total = '0.0000004'
    expect(await codeOf(books.hold(`${id}-more`, [{ id }, budget(id, 400n)], 150n))).toBe('ok')
    expect(await books.grow(`${id}-more`, 1n)).toBe(false)
    await books.release(row(`${id}-more`, id, id, 0n))
  })

  test.each([0, 60_000])(
    'two hundred at once with a budget for ten: exactly ten, and the wallet keeps the rest (cover %d ms)',
    async (coverMs) => {
      const books = await place.begin({ coverMs, settleWaits: true })
      const id = await place.wallet(1_000_000n)
      const accounts = [{ id }, budget(id, 1000n), budget(id, 1200n, at)]
      const codes = await Promise.all(Array.from({ length: 200 }, (_, n) => codeOf(books.hold(`${id}-${n}`, accounts, 100n))))
      expect(codes.filter((code) => code === 'ok')).toHaveLength(10)
      expect(codes.filter((code) => code === 'insufficient_quota')).toHaveLength(190)
      for (const [n, code] of codes.entries()) if (code === 'ok') await books.settle(row(`${id}-${n}`, id, id, 33n))
      expect(await codeOf(books.hold(`${id}-more`, accounts, 671n))).toBe('insufficient_quota')
      expect(await codeOf(books.hold(`${id}-last`, accounts, 670n))).toBe('ok')
      expect(await codeOf(books.hold(`${id}-beside`, [{ id }], 900_000n))).toBe('ok')
      await books.release(row(`${id}-last`, id, id, 0n))
      await books.release(row(`${id}-beside`, id, id, 0n))
      expect((await place.money(id))[0]).toBe(999_670n)
    },
  )

  test('a refusal names what was too little: the balance, or which budget', async () => {
    const books = await place.begin()
    const id = await place.wallet(100n)
    const window = (span: BudgetWindow['span'], days: number): BudgetWindow => {
      return { limit: 10n, of: 'user', ofId: id, span, from: at, until: new Date(at.getTime() + days * dayMs) }
    }
    const refused = (account: Account, amount: bigint) => messageOf(books.hold(`${id}-r`, [{ id }, account], amount))
    const group: Account = {
      id: `budget:group:${id}`,
      budget: { limit: 1000n, of: 'group', ofId: id, span: 'total', from: null, until: null },
    }
    expect(await refused(budget(id, 50n), 60n)).toStartWith('The total budget of this key does not cover')
    expect(await refused({ id: `${id}-day`, budget: window('day', 1) }, 11n)).toStartWith('The daily budget of this user does not cover')
    expect(await refused({ id: `${id}-week`, budget: window('week', 7) }, 11n)).toStartWith('The weekly budget of this user does not cover')
    expect(await refused({ id: `${id}-month`, budget: window('month', 30) }, 11n)).toStartWith(
      'The monthly budget of this user does not cover',
    )
    expect(await refused(group, 101n)).toStartWith('The balance does not cover')
    expect(await refused(group, 1001n)).toContain('Nothing was charged.')
    expect(await place.money(id)).toEqual([100n, 0n])
  })

  test('a budget begins with what its key has used in its window already', async () => {
    const books = await place.begin({ settleWaits: true })
    const id = await place.wallet(10_000n)
    await books.hold(`${id}-before`, [{ id }], 300n)
    await books.settle(row(`${id}-before`, id, id, 300n))
    await books.hold(`${id}-earlier`, [{ id }], 50n)
    await books.settle({ ...row(`${id}-earlier`, id, id, 50n), at: new Date(at.getTime() - dayMs) })
    await books.hold(`${id}-other`, [{ id }], 70n)
    await books.settle(row(`${id}-other`, id, `${id}-another`, 70n))
    // Open while the budget comes: it counts there when it ends.
    await books.hold(`${id}-open`, [{ id }], 100n)
    const day = budget(id, 1000n, at)
    expect(await codeOf(books.hold(`${id}-1`, [{ id }, day], 701n))).toBe('insufficient_quota')
    expect(await codeOf(books.hold(`${id}-1`, [{ id }, budget(id, 1000n)], 651n))).toBe('insufficient_quota')
    expect(await codeOf(books.hold(`${id}-1`, [{ id }, day], 700n))).toBe('ok')
    await books.settle(row(`${id}-open`, id, id, 90n))
    expect(await freeOf(day.id)).toBe(-90n)
    await books.settle(row(`${id}-1`, id, id, 10n))
    expect(await codeOf(books.hold(`${id}-2`, [{ id }, day], 601n))).toBe('insufficient_quota')
    expect(await codeOf(books.hold(`${id}-2`, [{ id }, day], 600n))).toBe('ok')
    await books.release(row(`${id}-2`, id, id, 0n))
  })

  test('another limit counts from the next request on, whatever was taken under the old one', async () => {
    const books = await place.begin({ settleWaits: true })
    const id = await place.wallet(100_000n)
    await books.hold(`${id}-1`, [{ id }, budget(id, 10_000n)], 100n)
    await books.settle(row(`${id}-1`, id, id, 100n))
    expect(await leasedOf(place.store, budget(id, 0n).id)).toBeGreaterThan(0n)
    // Lowered below what is on lease, then below what is used.
    expect(await codeOf(books.hold(`${id}-2`, [{ id }, budget(id, 150n)], 51n))).toBe('insufficient_quota')
    expect(await codeOf(books.hold(`${id}-3`, [{ id }, budget(id, 150n)], 50n))).toBe('ok')
    expect(await codeOf(books.hold(`${id}-4`, [{ id }, budget(id, 40n)], 1n))).toBe('insufficient_quota')
    await books.settle(row(`${id}-3`, id, id, 50n))
    expect(await freeOf(budget(id, 0n).id)).toBe(-110n)
    expect(await codeOf(books.hold(`${id}-5`, [{ id }, budget(id, 155n)], 6n))).toBe('insufficient_quota')
    expect(await codeOf(books.hold(`${id}-6`, [{ id }, budget(id, 155n)], 5n))).toBe('ok')
    await books.release(row(`${id}-6`, id, id, 0n))
  })

  test('a hold grows as far as the least of its accounts, and what it costs beyond that is charged to nobody', async () => {
    const books = await place.begin({ settleWaits: true })
    const id = await place.wallet(1000n)
    const accounts = [{ id }, budget(id, 300n)]
    await books.hold(`${id}-1`, accounts, 100n)
    const answers = await Promise.all(Array.from({ length: 40 }, () => books.grow(`${id}-1`, 30n)))
    expect(answers.filter(Boolean)).toHaveLength(6)
    await books.settle(row(`${id}-1`, id, id, 290n))
    expect(await codeOf(books.hold(`${id}-2`, accounts, 5n))).toBe('ok')
    await books.settle(row(`${id}-2`, id, id, 500n))
    expect((await chargesIn(place.store)).get(`${id}-2`)).toBe(10n)
    expect((await place.money(id))[0]).toBe(700n)
  })

  test('budgets that come, change and go while instances spend: never above a limit, and every sum right', async () => {
    const all = await Promise.all(Array.from({ length: engine === 'embedded' ? 2 : 4 }, () => place.begin()))
    const random = seeded(24)
    const users = await Promise.all([place.wallet(60_000n), place.wallet(900_000n)])
    const limits = new Map(users.map((id) => [id, 20_000n]))
    let granted = 0
    async function work(books: LeasedBooks, name: string): Promise<void> {
      for (let n = 0; n < 60; n++) {
        const id = users[random.below(2)] ?? ''
        const limit = limits.get(id) ?? 0n
        const accounts: Account[] = [{ id }]
        if (random.below(8) > 0) accounts.push(budget(id, limit))
        if (n > 20 && random.below(2) > 0) accounts.push(budget(id, limit / 2n, at))
        const [request, amount] = [`${id}-${name}-${n}`, BigInt(1 + random.below(400))]
        const code = await codeOf(books.hold(request, accounts, amount))
        expect(['ok', 'insufficient_quota']).toContain(code)
        if (code !== 'ok') continue
        granted += 1
        if (random.below(4) === 0) await books.grow(request, amount)
        const cost = (amount * BigInt(random.below(12))) / 10n
        if (random.below(5) === 0) void books.release(row(request, id, id, 0n))
        else void books.settle(row(request, id, id, cost))
        if (random.below(40) === 0) limits.set(id, BigInt(1_000 + random.below(30_000)))
      }
    }
    await Promise.all(all.flatMap((books, index) => [work(books, `${index}a`), work(books, `${index}b`)]))
    await Promise.all(all.map((books) => books.flush()))
    // On a busy machine there are fewer.
    expect(granted).toBeGreaterThan(10)
  }, 60_000)

  test('a budget that ended long ago goes, one that is in use stays', async () => {
    const id = await place.wallet(1000n)
    const books = await place.begin({ settleWaits: true })
    const old = budget(id, 100n, at)
    const now = budget(`${id}-now`, 100n, new Date(Date.now() - dayMs / 2))
    await books.hold(`${id}-1`, [{ id }, old], 10n)
    await books.hold(`${id}-2`, [{ id }, now], 10n)
    await books.release(row(`${id}-1`, id, id, 0n))
    await books.release(row(`${id}-2`, id, `${id}-now`, 0n))
    await books.close()
    await sweepBudgets(place.store)
    expect([await freeOf(old.id), await freeOf(now.id)]).toEqual([undefined, 100n])
  })
})
