/** The books in memory on both engines. What one call promises is tested with the store, what the files promise with the journal. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { openJournal } from '#billing/journal/journal'
import { systemClock as clock, systemRandom as random } from '#runtime/clock'
import { createLog } from '#runtime/log'
import { GatewayError } from '#shared/errors'
import { closeInstance, missingInstances } from '#store/ledger/instances'
import { openWallets, postGrant, readWallets } from '#store/ledger/ledger'
import { chargesIn, leasedOf, wrongBooks } from '#testing/books/invariants'
import { engines, type Throwaway, throwawayDatabase } from '#testing/database/database'
import { usageRow } from '#testing/usage-row'
import { type LeasedBooks, type LeasedBooksOptions, openLeasedBooks } from './leased-books.ts'

const at = new Date(1_700_000_000_000)
const row = (requestId: string, cost: bigint, userId = 'u') => usageRow({ requestId, cost, userId })

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work
    return 'ok'
  } catch (thrown) {
    return thrown instanceof GatewayError ? thrown.code : String(thrown)
  }
}

describe.each([...engines])('leased books on %s', (engine) => {
  let base: Throwaway
  const open: LeasedBooks[] = []
  let wallets = 0
  beforeAll(async () => {
    base = await throwawayDatabase(engine)
  }, 60_000)
  afterEach(async () => {
    for (const each of open.splice(0)) await each.close()
    expect(await wrongBooks(base.store)).toEqual([])
  })
  afterAll(() => base.close())

  async function begin(more: Partial<LeasedBooksOptions> = {}): Promise<LeasedBooks> {
    const books = await openLeasedBooks({
      store: base.store,
      clock,
      random,
      log: createLog('silent'),
      folder: `${base.folder}/journal`,
      installation: 'one',
      fsync: 'never',
      maxBytes: 64 * 1024 * 1024,
      coverMs: 60_000,
      writeOffMs: 86_400_000,
      settleWaits: true,
      ...more,
    })
    open.push(books)
    return books
  }
  async function wallet(amount: bigint): Promise<string> {
    const id = `w${++wallets}`
    await openWallets(base.store.db, [id])
    await postGrant(base.store.db, { walletId: id, amount, ref: `grant:${id}`, kind: 'grant', actor: 't', reason: 'r', at })
    return id
  }
  const rowOf = async (requestId: string) => {
    const [found] = await base.store.db.query.logs.findMany({ where: (logs, { eq }) => eq(logs.requestId, requestId) })
    return found && { cost: found.cost, charged: found.charged }
  }
  const money = async (id: string) => {
    const found = (await readWallets(base.store.db, [id])).get(id)
    return [found?.balance, found?.held]
  }
  const leased = (id: string) => leasedOf(base.store, id)
  /** Holds are reported afterwards, within a second. */
  async function held(id: string, amount: bigint): Promise<void> {
    const started = clock.monotonic()
    while ((await money(id))[1] !== amount && clock.monotonic() - started < 20_000) await clock.sleep(20)
    expect((await money(id))[1]).toBe(amount)
  }
  const charged = async (id: string) => (await chargesIn(base.store)).get(id)

  test.each([0, 60_000])('L-1 two hundred at once with credit for ten: exactly ten (cover %d ms)', async (coverMs) => {
    const books = await begin({ coverMs })
    const id = await wallet(1000n)
    const codes = await Promise.all(Array.from({ length: 200 }, (_, n) => codeOf(books.hold(`${id}-${n}`, [{ id }], 100n))))
    expect(codes.filter((code) => code === 'ok')).toHaveLength(10)
    expect(codes.filter((code) => code === 'insufficient_quota')).toHaveLength(190)
    await held(id, 1000n)
    expect(await money(id)).toEqual([1000n, 1000n])
    for (const [n, code] of codes.entries()) if (code === 'ok') await books.settle(row(`${id}-${n}`, 33n, id))
    expect((await money(id))[0]).toBe(670n)
    expect(await codeOf(books.hold(`${id}-last`, [{ id }], 670n))).toBe('ok')
    await books.release(row(`${id}-last`, 670n, id))
    expect(await codeOf(books.hold(`${id}-more`, [{ id }], 671n))).toBe('insufficient_quota')
    expect(await codeOf(books.hold(`${id}-nobody`, [{ id: 'nobody' }], 1n))).toBe('insufficient_quota')
  })

  test.each([0, 60_000])('what is held is exactly what is open, and told at once when a request ends (cover %d ms)', async (coverMs) => {
    const books = await begin({ coverMs })
    const id = await wallet(1000n)
    await books.hold(`${id}-1`, [{ id }], 100n)
    await books.hold(`${id}-2`, [{ id }], 50n)
    await held(id, 150n)
    expect(await money(id)).toEqual([1000n, 150n])
    await books.settle(row(`${id}-1`, 60n, id))
    expect(await money(id)).toEqual([940n, 50n])
    await books.release(row(`${id}-2`, 50n, id))
    expect(await money(id)).toEqual([940n, 0n])
  })

  test('a hold grows to the last nano-dollar and no further, however many ask at once', async () => {
    const books = await begin()
    const id = await wallet(1000n)
    await books.hold(`${id}-1`, [{ id }], 100n)
    const answers = await Promise.all(Array.from({ length: 40 }, () => books.grow(`${id}-1`, 30n)))
    expect(answers.filter(Boolean)).toHaveLength(30)
    expect(await books.grow(`${id}-1`, 1n)).toBe(false)
    await books.settle(row(`${id}-1`, 990n, id))
    expect((await money(id))[0]).toBe(10n)
    expect(await books.grow(`${id}-1`, 1n)).toBe(false)
    expect(await books.grow('nobody', 1n)).toBe(false)
  })

  test('L-3, L-4 a request ends once, and only what was held or free is charged', async () => {
    const books = await begin()
    const id = await wallet(100n)
    await books.hold(`${id}-1`, [{ id }], 10n)
    await books.hold(`${id}-1`, [{ id }], 90n)
    await Promise.all([
      books.settle(row(`${id}-1`, 30n, id)),
      books.settle(row(`${id}-1`, 30n, id)),
      books.release(row(`${id}-1`, 30n, id)),
    ])
    await books.settle(row(`${id}-1`, 30n, id))
    expect(await charged(`${id}-1`)).toBe(30n)
    await books.hold(`${id}-2`, [{ id }], 10n)
    await books.release(row(`${id}-2`, 10n, id))
    await books.settle(row(`${id}-2`, 10n, id))
    expect(await charged(`${id}-2`)).toBe(0n)
    await books.hold(`${id}-3`, [{ id }], 10n)
    await books.settle(row(`${id}-3`, 500n, id))
    expect(await charged(`${id}-3`)).toBe(70n)
    await books.record(row(`${id}-4`, 0n, id))
    await books.settle(row(`${id}-5`, 5n, id))
    expect([await charged(`${id}-4`), await charged(`${id}-5`)]).toEqual([0n, 0n])
    expect((await money(id))[0]).toBe(0n)
  })

  test('a request for more than all money is refused, and no other is affected', async () => {
    const books = await begin()
    const [poor, rich] = [await wallet(0n), await wallet(1_000_000n)]
    expect(await codeOf(books.hold(`${poor}-first`, [{ id: poor }], 2n ** 64n))).toBe('insufficient_quota')
    const asked = Array.from({ length: 40 }, (_, n) => codeOf(books.hold(`${poor}-${n}`, [{ id: poor }], 2n ** BigInt(56 + n))))
    expect(await codeOf(books.hold(`${rich}-1`, [{ id: rich }], 100n))).toBe('ok')
    for (const code of await Promise.all(asked)) expect(code).toBe('insufficient_quota')
    expect(await books.grow(`${rich}-1`, 2n ** 63n)).toBe(false)
    expect(await codeOf(books.hold(`${rich}-2`, [{ id: rich }], 100n))).toBe('ok')
    await books.settle(row(`${rich}-2`, 2n ** 70n, rich))
    expect(await rowOf(`${rich}-2`)).toEqual({ cost: 10n ** 17n, charged: 999_900n })
    expect(books.answering()).toBe(true)
    await books.settle(row(`${rich}-1`, 100n, rich))
    expect(await money(rich)).toEqual([0n, 0n])
  })

  test('what the database cannot understand ends with who asked for it, and the others are answered', async () => {
    const books = await begin()
    const id = await wallet(1_000_000n)
    const budget = { limit: 2n ** 63n, of: 'key', ofId: id, span: 'total', from: null, until: null } as const
    const strange = Array.from({ length: 20 }, (_, n) => codeOf(books.hold(`${id}-strange${n}`, [{ id }, { id: `b${id}`, budget }], 1n)))
    for (const code of await Promise.all(strange)) expect(code).toBe('books_unavailable')
    expect(books.answering()).toBe(true)
    expect(await codeOf(books.hold(`${id}-1`, [{ id }], 100n))).toBe('ok')
    await books.settle(row(`${id}-1`, 100n, id))
    expect(books.answering()).toBe(true)
  })

  test('what is idle goes back, and all of it at the end', async () => {
    const books = await begin()
    const id = await wallet(1000n)
    await books.hold(`${id}-1`, [{ id }], 10n)
    await books.settle(row(`${id}-1`, 10n, id))
    expect(await leased(id)).toBeGreaterThan(0n)
    expect(await money(id)).toEqual([990n, 0n])
    for (let tries = 0; tries < 400 && (await leased(id)) !== 0n; tries++) await clock.sleep(50)
    expect(await leased(id)).toBe(0n)
    expect(await money(id)).toEqual([990n, 0n])
    await books.hold(`${id}-2`, [{ id }], 10n)
    await books.settle(row(`${id}-2`, 10n, id))
    expect(await leased(id)).toBeGreaterThan(0n)
    await base.store.changes.publish('leases', id)
    expect(await leased(id)).toBe(0n)
    expect(await money(id)).toEqual([980n, 0n])
    await books.hold(`${id}-3`, [{ id }], 10n)
    await books.settle(row(`${id}-3`, 10n, id))
    await books.close()
    expect([...(await money(id)), await leased(id)]).toEqual([970n, 0n, 0n])
    expect(await codeOf(books.hold(`${id}-4`, [{ id }], 10n))).toBe('books_unavailable')
  }, 30_000)

  test('L-6 what an earlier run left is in the books before this one begins, once', async () => {
    const id = await wallet(1000n)
    const earlier = await begin()
    for (const name of ['settled', 'streaming', 'opened', 'written']) await earlier.hold(`${id}-${name}`, [{ id }], 100n)
    await earlier.settle(row(`${id}-written`, 7n, id))
    // Its files as they are when the process ends now, beside the ones that it keeps.
    const [instance = 0n] = (await missingInstances(base.store, 0)).slice(-1)
    const clean = { fsync: 'never', maxBytes: 64 * 1024, clock, log: createLog('silent') } as const
    const left = await openJournal({ ...clean, folder: `${base.folder}/left/${instance}`, instance })
    for (const name of ['written', 'settled', 'streaming', 'opened']) left.open(`${id}-${name}`, [id], 100n)
    const line = (name: string, owed: bigint) => ({ row: row(`${id}-${name}`, owed, id), accounts: [id], owed, covered: owed })
    left.settle(line('written', 7n))
    left.settle(line('settled', 40n))
    left.progress(line('streaming', 20n))
    await left.close(true)
    const next = await begin({ folder: `${base.folder}/left` })
    expect(await Promise.all(['written', 'settled', 'streaming', 'opened'].map((name) => charged(`${id}-${name}`)))).toEqual([
      7n,
      40n,
      20n,
      undefined,
    ])
    expect(await money(id)).toEqual([933n, 0n])
    // The earlier one still thinks that it has three holds: they end late, without a lease, and only what is new counts.
    await earlier.settle(row(`${id}-settled`, 40n, id))
    await earlier.settle(row(`${id}-opened`, 5n, id))
    await earlier.flush()
    expect(await codeOf(next.hold(`${id}-next`, [{ id }], 100n))).toBe('ok')
  })

  test('an instance whose leases were written off starts again as a new one, and what it had open is settled late', async () => {
    const id = await wallet(1000n)
    const books = await begin()
    await books.hold(`${id}-1`, [{ id }], 100n)
    for (const instance of await missingInstances(base.store, 0)) await closeInstance(base.store, instance)
    expect(await money(id)).toEqual([1000n, 0n])
    await books.settle(row(`${id}-1`, 60n, id))
    for (let tries = 0; tries < 200 && (await charged(`${id}-1`)) === undefined; tries++) await clock.sleep(20)
    expect(await charged(`${id}-1`)).toBe(60n)
    for (let tries = 0; tries < 200 && (await codeOf(books.hold(`${id}-2`, [{ id }], 940n))) !== 'ok'; tries++) await clock.sleep(20)
    await books.settle(row(`${id}-2`, 940n, id))
    expect((await money(id))[0]).toBe(0n)
  })

  test('a row that the database will not have does not stop the others', async () => {
    const id = await wallet(1000n)
    const books = await begin()
    const bad = { ...row(`${id}-bad`, 10n, id), totalMs: 1e12 }
    for (const name of ['a', 'bad', 'b']) await books.hold(`${id}-${name}`, [{ id }], 10n)
    await Promise.all([books.settle(row(`${id}-a`, 10n, id)), books.settle(bad), books.settle(row(`${id}-b`, 10n, id))])
    expect(await books.flush()).toBe(true)
    expect(await Promise.all(['a', 'bad', 'b'].map((name) => charged(`${id}-${name}`)))).toEqual([10n, undefined, 10n])
  })
})
