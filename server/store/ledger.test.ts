import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eq, sql } from 'drizzle-orm'
import { entries, holds, logs, wallets } from '#db/schema'
import { engines, type Throwaway, throwawayDatabase } from '#testing/database'
import { usageRow } from '#testing/usage-row'
import { growHold, insertLog, openHold, openWallet, postGrant, readWallets, releaseHold, releaseLeftovers, settleHold } from './ledger.ts'
import { checkViolation, sqlState } from './sql-state.ts'
import type { Store } from './store.ts'

const at = new Date(1_700_000_000_000)
const log = (requestId: string, cost = 0n) => usageRow({ requestId, at, cost })

describe.each([...engines])('the ledger on %s', (engine) => {
  let base: Throwaway
  let store: Store
  beforeAll(async () => {
    base = await throwawayDatabase(engine)
    store = base.store
  }, 60_000)
  afterAll(() => base.close())

  async function wallet(id: string, amount: bigint): Promise<string> {
    await openWallet(store.db, id)
    await postGrant(store.db, { walletId: id, amount, ref: `grant:${id}`, kind: 'grant', actor: 'test', reason: 'opening', at })
    return id
  }
  const open = (id: string, walletId: string, amount: bigint, instance = 'one') => openHold(store, { id, walletId, amount, instance, at })
  const settle = (id: string, cost: bigint) => settleHold(store, { id, cost, at, actor: 'key', reason: 'generate m', log: log(id, cost) })
  const release = (id: string) => releaseHold(store, { id, log: log(id) })
  const state = async (id: string) => {
    const found = (await readWallets(store.db, [id])).get(id)
    return [found?.balance, found?.held]
  }
  const charged = async (id: string) => (await store.db.select().from(logs).where(eq(logs.requestId, id)))[0]?.charged

  /** balance = sum of entries, held = sum of open holds, and nothing is overdrawn. */
  async function expectSound(): Promise<void> {
    const rows = await store.db
      .select({
        balance: wallets.balance,
        held: wallets.held,
        posted:
          sql`(select coalesce(sum(${entries.amount}), 0)::bigint from ${entries} where ${entries.walletId} = "wallets"."id")`.mapWith(
            BigInt,
          ),
        open: sql`(select coalesce(sum(${holds.amount}), 0)::bigint from ${holds} where ${holds.walletId} = "wallets"."id")`.mapWith(
          BigInt,
        ),
      })
      .from(wallets)
    for (const row of rows) {
      expect(row.posted).toBe(row.balance)
      expect(row.open).toBe(row.held)
      expect(row.balance >= row.held && row.held >= 0n).toBe(true)
    }
  }

  test('fifty at once on a balance for ten: exactly ten', async () => {
    const id = await wallet('ten', 1_000n)
    const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => open(`ten-${i}`, id, 100n)))
    expect(answers.filter(Boolean)).toHaveLength(10)
    expect(await state(id)).toEqual([1_000n, 1_000n])
    await expectSound()
  })

  test('a hold opens once, however often it is asked for', async () => {
    const id = await wallet('once', 150n)
    expect(await Promise.all(Array.from({ length: 8 }, () => open('once-1', id, 100n)))).toEqual(Array(8).fill(true))
    expect(await state(id)).toEqual([150n, 100n])
    await settle('once-1', 40n)
    expect(await open('once-1', id, 10n)).toBe(false)
    expect(await state(id)).toEqual([110n, 0n])
    expect(await open('once-2', 'no such wallet', 0n)).toBe(false)
  })

  test('a hold grows within the balance, and not after its end', async () => {
    const id = await wallet('grow', 100n)
    await open('grow-1', id, 50n)
    const answers = await Promise.all(Array.from({ length: 20 }, () => growHold(store, { id: 'grow-1', extra: 10n })))
    expect(answers.filter(Boolean)).toHaveLength(5)
    expect(await state(id)).toEqual([100n, 100n])
    await settle('grow-1', 70n)
    expect(await growHold(store, { id: 'grow-1', extra: 1n })).toBe(false)
    expect(await state(id)).toEqual([30n, 0n])
    await expectSound()
  })

  test('settling twice, in a row or at once, charges once and answers the same', async () => {
    const id = await wallet('twice', 1_000n)
    await open('twice-1', id, 100n)
    const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => settle('twice-1', BigInt(60 + i))))
    expect(new Set(answers.map((answer) => answer.charged)).size).toBe(1)
    expect(await settle('twice-1', 99n)).toEqual(answers[0] ?? { charged: -1n })
    await release('twice-1')
    expect(await state(id)).toEqual([1_000n - (answers[0]?.charged ?? 0n), 0n])
    expect(await charged('twice-1')).toBe(answers[0]?.charged ?? 0n)
    await expectSound()
  })

  test('a release gives everything back, and nothing after it charges', async () => {
    const id = await wallet('back', 100n)
    await open('back-1', id, 100n)
    await release('back-1')
    await release('back-1')
    expect(await settle('back-1', 50n)).toEqual({ charged: 0n })
    expect(await state(id)).toEqual([100n, 0n])
    expect(await charged('back-1')).toBe(0n)
    expect(await store.db.select().from(entries).where(eq(entries.ref, 'usage:back-1'))).toEqual([])
  })

  test('a cost above the hold takes what is free, and never what others hold', async () => {
    const id = await wallet('above', 100n)
    await open('above-1', id, 30n)
    await open('above-2', id, 50n)
    expect(await settle('above-1', 40n)).toEqual({ charged: 40n })
    expect(await state(id)).toEqual([60n, 50n])
    expect(await settle('above-2', 1_000n)).toEqual({ charged: 60n })
    expect(await state(id)).toEqual([0n, 0n])
    expect((await store.db.select().from(logs).where(eq(logs.requestId, 'above-2')))[0]).toMatchObject({ cost: 1_000n, charged: 60n })
  })

  test('one entry and one row per request, with what they are for; none of money for nothing', async () => {
    const id = await wallet('rows', 100n)
    await open('rows-1', id, 30n)
    await settle('rows-1', 20n)
    const [entry] = await store.db.select().from(entries).where(eq(entries.ref, 'usage:rows-1'))
    expect(entry).toMatchObject({ walletId: id, amount: -20n, kind: 'usage', actor: 'key', reason: 'generate m', at })
    await open('rows-2', id, 30n)
    expect(await settle('rows-2', 0n)).toEqual({ charged: 0n })
    expect(await store.db.select().from(entries).where(eq(entries.ref, 'usage:rows-2'))).toEqual([])
    await insertLog(store, log('rows-3'))
    await insertLog(store, { ...log('rows-3'), status: 500 })
    expect((await store.db.select().from(logs).where(eq(logs.requestId, 'rows-3')))[0]).toMatchObject({ status: 200, charged: 0n })
  })

  test('leftovers of one instance are released, those of others are not', async () => {
    const [a, b] = [await wallet('left-a', 100n), await wallet('left-b', 100n)]
    await open('left-1', a, 10n, 'gone')
    await open('left-2', a, 20n, 'gone')
    await open('left-3', b, 30n, 'gone')
    await open('left-4', b, 40n, 'here')
    expect(await Promise.all([releaseLeftovers(store, 'gone'), releaseLeftovers(store, 'gone')]).then((n) => n.sort())).toEqual([0, 3])
    expect(await state(a)).toEqual([100n, 0n])
    expect(await state(b)).toEqual([100n, 40n])
    await expectSound()
  })

  test('a grant is posted once per reference, within a transaction too, and cannot overdraw', async () => {
    const id = await wallet('grant', 100n)
    const credit = (ref: string, amount: bigint) => ({ walletId: id, amount, ref, kind: 'credit', actor: 'a', reason: 'r', at }) as const
    const answers = await Promise.all(Array.from({ length: 20 }, () => store.db.transaction((tx) => postGrant(tx, credit('credit:x', 7n)))))
    expect(answers.filter(Boolean)).toHaveLength(1)
    expect(await state(id)).toEqual([107n, 0n])
    await open('grant-1', id, 100n)
    const refused = await postGrant(store.db, credit('credit:y', -8n)).catch(sqlState)
    expect(refused).toBe(checkViolation)
    expect(await postGrant(store.db, credit('credit:z', -7n))).toBe(true)
    expect(await state(id)).toEqual([100n, 100n])
    await expectSound()
  })

  test('reads many wallets at once and leaves out what is not there', async () => {
    await openWallet(store.db, 'empty')
    await openWallet(store.db, 'empty')
    expect(await readWallets(store.db, ['empty', 'nobody'])).toEqual(new Map([['empty', { id: 'empty', balance: 0n, held: 0n }]]))
    expect(await readWallets(store.db, [])).toEqual(new Map())
  })

  test.each([1, 2, 3])('agrees with a ledger in memory over random operations, seed %i', async (seed) => {
    const random = seeded(seed)
    const upTo = (n: number) => Math.floor(random() * n)
    const id = await wallet(`random-${seed}`, 1_000n)
    let balance = 1_000n
    const held = new Map<string, bigint>()
    const over = new Map<string, bigint>()
    const free = () => balance - [...held.values()].reduce((sum, amount) => sum + amount, 0n)
    for (let step = 0; step < 150; step++) {
      const request = `random-${seed}-${upTo(25)}`
      const amount = BigInt(upTo(300))
      const mine = held.get(request)
      switch (upTo(5)) {
        case 0: {
          const expected = mine !== undefined || (!over.has(request) && free() >= amount)
          if (mine === undefined && expected) held.set(request, amount)
          expect(await open(request, id, amount)).toBe(expected)
          break
        }
        case 1: {
          const expected = mine !== undefined && free() >= amount
          if (mine !== undefined && expected) held.set(request, mine + amount)
          expect(await growHold(store, { id: request, extra: amount })).toBe(expected)
          break
        }
        case 2:
        case 3: {
          const cost = upTo(2) === 0 ? amount : 0n
          if (mine !== undefined) {
            const most = mine + free()
            over.set(request, cost < most ? cost : most)
            balance -= over.get(request) ?? 0n
            held.delete(request)
          } else if (!over.has(request)) over.set(request, 0n)
          expect(await settle(request, cost)).toEqual({ charged: over.get(request) ?? -1n })
          break
        }
        default: {
          const ref = `credit:${seed}-${upTo(40)}`
          if (await postGrant(store.db, { walletId: id, amount, ref, kind: 'credit', actor: 'a', reason: 'r', at })) balance += amount
        }
      }
      expect(await state(id)).toEqual([balance, balance - free()])
    }
    await expectSound()
  })

  test.each(['settle', 'release', 'leftovers', 'grow'])('a %s that waited for a growing hold sees it grown', async (what) => {
    const id = await wallet(`wait-${what}`, 100n)
    const request = `wait-${what}-1`
    await open(request, id, 10n, what)
    let waiting: Promise<unknown> = Promise.resolve()
    await store.db.transaction(async (tx) => {
      await growHold({ ...store, db: tx }, { id: request, extra: 5n })
      if (what === 'settle') waiting = settle(request, 12n)
      if (what === 'release') waiting = release(request)
      if (what === 'leftovers') waiting = releaseLeftovers(store, what)
      if (what === 'grow') waiting = growHold(store, { id: request, extra: 5n })
      await Bun.sleep(50)
    })
    await waiting
    expect(await state(id)).toEqual(what === 'settle' ? [88n, 0n] : [100n, what === 'grow' ? 20n : 0n])
    await expectSound()
  })

  test('stays sound when everything happens at once', async () => {
    const random = seeded(7)
    const ids = await Promise.all(['storm-a', 'storm-b'].map((id) => wallet(id, 2_000n)))
    const jobs = Array.from({ length: 300 }, async (_, i) => {
      const [request, amount] = [`storm-${Math.floor(random() * 100)}`, BigInt(Math.floor(random() * 200))]
      const choice = random()
      if (i % 3 === 0) return open(`storm-${i / 3}`, ids[i % 2] ?? '', amount, 'storm')
      if (choice < 0.3) return growHold(store, { id: request, extra: amount })
      if (choice < 0.7) return settle(request, amount)
      if (choice < 0.97) return release(request)
      return releaseLeftovers(store, 'storm')
    })
    await Promise.all(jobs)
    await expectSound()
  })
})

function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
