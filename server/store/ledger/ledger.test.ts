/** Wallets and what is posted to them, on both engines. What requests move is tested with the leases. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { logs } from '#db/schema'
import { postCredit } from '#store/accounts/users'
import { checkViolation, sqlState } from '#store/engine/sql-state'
import type { Store } from '#store/engine/store'
import { wrongBooks } from '#testing/books/invariants'
import { engines, type Throwaway, throwawayDatabase } from '#testing/database/database'
import { insertLog, usageRow } from '#testing/usage-row'
import { pageEntries } from './entries.ts'
import { closeInstance, registerInstance } from './instances.ts'
import { syncBooks } from './leases.ts'
import { openWallets, postGrant, readWallets } from './ledger.ts'

const at = new Date(1_700_000_000_000)

describe.each([...engines])('the ledger on %s', (engine) => {
  let base: Throwaway
  let store: Store
  beforeAll(async () => {
    base = await throwawayDatabase(engine)
    store = base.store
  }, 60_000)
  afterEach(async () => expect(await wrongBooks(store)).toEqual([]))
  afterAll(() => base.close())

  const credit = (walletId: string, ref: string, amount: bigint) =>
    ({ walletId, amount, ref, kind: 'credit', actor: 'a', reason: 'r', at }) as const
  async function wallet(id: string, amount: bigint): Promise<string> {
    await openWallets(store.db, [id])
    await postGrant(store.db, { ...credit(id, `grant:${id}`, amount), kind: 'grant' })
    return id
  }
  const state = async (id: string) => {
    const found = (await readWallets(store.db, [id])).get(id)
    return [found?.balance, found?.held]
  }

  test('L-2 a grant is posted once per reference, however many post it at once, and cannot overdraw', async () => {
    const id = await wallet('grant', 100n)
    const post = () => store.db.transaction((tx) => postGrant(tx, credit(id, 'credit:x', 7n)))
    const answers = await Promise.all(Array.from({ length: 100 }, post))
    expect(answers.filter(Boolean)).toHaveLength(1)
    expect(await state(id)).toEqual([107n, 0n])
    const refused = await postGrant(store.db, credit(id, 'credit:y', -108n)).catch(sqlState)
    expect(refused).toBe(checkViolation)
    expect(await postGrant(store.db, credit(id, 'credit:z', -7n))).toBe(true)
    expect(await state(id)).toEqual([100n, 0n])
  })

  test('a balance holds what is on lease, and what is held is said apart', async () => {
    const id = await wallet('leased', 100n)
    const instance = await registerInstance(store, { folder: 'f' })
    await syncBooks(store, { instance, seq: 1n, lines: [], own: [], ask: [[{ account: id, need: 60n, want: 60n }]] })
    expect(await state(id)).toEqual([100n, 0n])
    await syncBooks(store, { instance, seq: 2n, lines: [], own: [{ account: id, back: 10n, held: 25n }], ask: [] })
    expect(await state(id)).toEqual([100n, 25n])
    const taken = { amount: -51n, actor: 'a', reason: 'r', at }
    const beside = async () => {}
    // There is no instance that could give anything back.
    expect(await postCredit(store, id, 'k', taken, beside).catch(sqlState)).toBe(checkViolation)
    expect(await postCredit(store, id, 'k', { ...taken, amount: -50n }, beside)).toBe('posted')
    expect(await state(id)).toEqual([50n, 25n])
    await closeInstance(store, instance)
    expect(await state(id)).toEqual([50n, 0n])
  }, 20_000)

  test('entries say what each left in the wallet, on every page and under every filter', async () => {
    const id = await wallet('read', 100n)
    const other = await wallet('other', 5n)
    const post = (ref: string, amount: bigint, reason: string, minutes: number) =>
      postGrant(store.db, { ...credit(id, ref, amount), reason, at: new Date(at.getTime() + minutes * 60_000) })
    await post('credit:read-1', -30n, 'Entered twice', 1)
    await postGrant(store.db, credit(other, 'credit:other-1', 1n))
    await post('credit:read-2', 7n, '100% refund', 2)
    await post('credit:read-3', 3n, 'late', 3)
    const told = async (asked: Partial<Parameters<typeof pageEntries>[2]> = {}) => {
      const { rows, next } = await pageEntries(store, id, { limit: 10, ...asked })
      return { told: rows.map(({ amount, balance }) => [amount, balance]), next }
    }
    const whole = [
      [3n, 80n],
      [7n, 77n],
      [-30n, 70n],
      [100n, 100n],
    ]
    expect(await told()).toEqual({ told: whole, next: null })
    const first = await told({ limit: 2 })
    await post('credit:read-4', 1n, 'meanwhile', 4)
    expect(await told({ limit: 2, ...(first.next && { before: first.next }) })).toEqual({ told: whole.slice(2), next: null })
    expect((await told({ kind: 'grant' })).told).toEqual([[100n, 100n]])
    expect((await told({ words: 'TWICE' })).told).toEqual([[-30n, 70n]])
    expect((await told({ words: '0% r' })).told).toEqual([[7n, 77n]])
    const [from, to] = [1, 3].map((minutes) => new Date(at.getTime() + minutes * 60_000))
    expect((await told({ ...(from && { from }), ...(to && { to }) })).told).toEqual(whole.slice(1, 3))
  })

  test('the usage row of a request without a hold is written once', async () => {
    const row = usageRow({ requestId: 'rows-1', at })
    await insertLog(store, row)
    await insertLog(store, { ...row, status: 500 })
    expect(await store.db.select().from(logs).where(eq(logs.requestId, 'rows-1'))).toMatchObject([{ status: 200, charged: 0n }])
  })

  test('reads many wallets at once and leaves out what is not there', async () => {
    await openWallets(store.db, ['empty'])
    await openWallets(store.db, ['empty'])
    expect(await readWallets(store.db, ['empty', 'nobody'])).toEqual(new Map([['empty', { id: 'empty', balance: 0n, held: 0n }]]))
    expect(await readWallets(store.db, [])).toEqual(new Map())
  })
})
