/** The books of work that grows, on both engines. What the ledger itself promises is tested beside it. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createLog } from '#runtime/log'
import { openWallet, postGrant, readWallets } from '#store/ledger'
import { engines, type Throwaway, throwawayDatabase } from '#testing/database'
import { handClock } from '#testing/hand-clock'
import { type Books, createBooks, type NewLog } from './books.ts'

const at = new Date(1_700_000_000_000)
const row = (requestId: string, cost: bigint): NewLog => ({
  requestId,
  at,
  userId: 'u',
  group: 'default',
  model: 'm',
  operation: 'realtime',
  dialect: 'openai',
  stream: true,
  status: 101,
  end: 'complete',
  cost,
  losses: [],
  totalMs: 1,
  attempts: [],
})

describe.each([...engines])('books that grow on %s', (engine) => {
  let base: Throwaway
  let books: Books
  beforeAll(async () => {
    base = await throwawayDatabase(engine)
    books = createBooks({ store: base.store, clock: handClock(), log: createLog('silent'), instance: 'one' })
    await openWallet(base.store.db, 'u')
    await postGrant(base.store.db, { walletId: 'u', amount: 1000n, ref: 'grant:u', kind: 'grant', actor: 't', reason: 'r', at })
  }, 60_000)
  afterAll(() => base.close())
  const money = async () => {
    const wallet = (await readWallets(base.store.db, ['u'])).get('u')
    return [wallet?.balance, wallet?.held]
  }

  test('a hold grows to the last nano-dollar and no further, however many ask at once', async () => {
    await books.hold('r1', 'u', 100n)
    const answers = await Promise.all(Array.from({ length: 40 }, () => books.grow('r1', 30n)))
    expect(answers.filter(Boolean)).toHaveLength(30)
    expect(await money()).toEqual([1000n, 1000n])
    expect(await books.grow('r1', 1n)).toBe(false)
    await books.settle(row('r1', 990n))
    expect(await money()).toEqual([10n, 0n])
  })

  test('a closed hold does not grow, nor one that never was', async () => {
    expect(await books.grow('r1', 1n)).toBe(false)
    expect(await books.grow('nobody', 1n)).toBe(false)
    expect(await money()).toEqual([10n, 0n])
  })
})
