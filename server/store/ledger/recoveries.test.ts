/** When takes are paused: after lost commits and promotions, until every live instance has called and written back what was lost. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import { returned } from '#store/engine/rows'
import { type Throwaway, throwawayDatabase } from '#testing/database/database'
import { usageRow } from '#testing/usage-row'
import { registerInstance } from './instances.ts'
import { resyncLeases, type SyncCall, syncBooks } from './leases.ts'
import { openWallets, postGrant } from './ledger.ts'
import { areTakesPaused, endTelling } from './recoveries.ts'

describe('takes', () => {
  let base: Throwaway
  let [one, other] = [0n, 0n]
  let seq = 10n

  const run = (statement: string) => base.store.db.execute(sql.raw(statement))
  const call = (instance: bigint, more: Partial<SyncCall> = {}) =>
    syncBooks(base.store, { instance, seq: ++seq, lines: [], own: [], ask: [], ...more })
  const asked = [[{ account: 'w', need: 1n, want: 1n }]]
  /** Whether leases can be taken; with a line it is another statement. */
  async function areOpen(instance: bigint, lines: SyncCall['lines'] = []): Promise<boolean> {
    try {
      await call(instance, { ask: asked, lines })
      return true
    } catch (thrown) {
      if (areTakesPaused(thrown)) return false
      throw thrown
    }
  }
  const loses = (instance: bigint) => resyncLeases(base.store, { instance, seq: ++seq, acknowledged: 1_000n, folder: 'f' })

  beforeAll(async () => {
    base = await throwawayDatabase('embedded')
  }, 60_000)
  afterAll(() => base?.close())

  beforeEach(async () => {
    // Without the trigger that keeps entries from being removed.
    await run('set session_replication_role = replica')
    await run('truncate accounts, entries, leases, instances, logs cascade')
    await run('set session_replication_role = origin')
    await run(`update recoveries set timeline = books_timeline(), since = '-infinity', due = '{}'`)
    await openWallets(base.store.db, ['w'])
    await postGrant(base.store.db, { walletId: 'w', amount: 100n, ref: 'g', kind: 'grant', actor: 't', reason: 'r', at: new Date(0) })
    one = await registerInstance(base.store, { folder: 'f' })
    other = await registerInstance(base.store, { folder: 'g' })
    for (const instance of [one, other]) expect(await areOpen(instance)).toBe(true)
    // The time for instances that this database does not know.
    await run(`set parley.recovery = '0s'`)
  })

  test('wait for the one that lost commits to write them again, and for a call of the other', async () => {
    expect(await loses(one)).toMatchObject({ forgot: true })
    expect([await areOpen(one), await areOpen(other)]).toEqual([false, false])
    // What others settle is no take.
    await call(other)
    expect(await areOpen(other)).toBe(false)
    await endTelling(base.store, one)
    expect([await areOpen(one), await areOpen(other)]).toEqual([true, true])
  })

  test('wait for an instance that has not called since', async () => {
    await loses(one)
    await endTelling(base.store, one)
    expect(await areOpen(one)).toBe(false)
    await call(other)
    expect(await areOpen(one)).toBe(true)
  })

  test('do not wait for one that had gone before', async () => {
    await run(`update instances set seen = seen - interval '31 seconds' where id = ${other}`)
    await loses(one)
    await endTelling(base.store, one)
    expect(await areOpen(one)).toBe(true)
  })

  test('continue after a minute without the absent one; what it had stays on lease', async () => {
    await loses(one)
    await endTelling(base.store, one)
    await run(`update recoveries set since = since - interval '61 seconds'`)
    expect(await areOpen(one)).toBe(true)
    const [kept] = returned<{ amount: string }>(await run(`select amount::text from leases where instance = ${other}`))
    expect(kept?.amount).toBe('1')
  })

  test('continue half a minute after the last call of the one that was writing', async () => {
    await loses(one)
    await call(other)
    expect(await areOpen(other)).toBe(false)
    await run(`update instances set seen = seen - interval '31 seconds' where id = ${one}`)
    await run(`update recoveries set since = since - interval '61 seconds'`)
    expect(await areOpen(other)).toBe(true)
  })

  test('wait for three seconds for instances unknown to this database', async () => {
    await run(`set parley.recovery = ''`)
    await loses(one)
    await endTelling(base.store, one)
    await call(other)
    expect(await areOpen(other)).toBe(false)
    await run(`update recoveries set since = since - interval '4 seconds'`)
    expect(await areOpen(other)).toBe(true)
  })

  test('wait after a promotion that nobody has lost anything by, as far as is known', async () => {
    await run(`update recoveries set timeline = timeline + 1`)
    expect(await areOpen(one)).toBe(false)
    await call(one)
    expect(await areOpen(one)).toBe(false)
    await call(other)
    expect(await areOpen(one)).toBe(true)
  })

  test('that are paused take nothing and write nothing, with lines as without', async () => {
    await loses(one)
    const line = { row: usageRow({ requestId: 'r', cost: 1n, userId: 'w' }), accounts: ['w'], owed: 1n, covered: 1n }
    expect(await areOpen(other, [line])).toBe(false)
    const rows = returned(await run('select 1 from logs'))
    expect(rows).toEqual([])
    await call(other, { lines: [line] })
    expect(returned(await run('select 1 from logs'))).toHaveLength(1)
  })
})
