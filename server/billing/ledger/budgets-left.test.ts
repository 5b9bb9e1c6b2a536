/** What is shown as left of a budget, against what was charged. */
import { afterEach, describe, expect, test } from 'bun:test'
import { registerInstance } from '#store/ledger/instances'
import { type AskedPart, syncBooks } from '#store/ledger/leases'
import { openWallets, postGrant } from '#store/ledger/ledger'
import { sampledEngines, type Throwaway, throwawayDatabase } from '#testing/database/database'
import { handClock } from '#testing/hand-clock'
import { usageRow } from '#testing/usage-row'
import { type Budgeted, budgetAccounts } from './budgets.ts'
import { createBudgetsLeft } from './budgets-left.ts'

let base: Throwaway
afterEach(() => base?.close())

describe.each(sampledEngines(import.meta.file))('what is left of a budget, on %s', (engine) => {
  test('is the limit without what its window was charged, leased or not, opened or not', async () => {
    base = await throwawayDatabase(engine)
    const { store } = base
    const clock = handClock(Date.parse('2026-03-11T22:30:00Z'))
    const budgetsLeft = createBudgetsLeft({ store, clock })
    const grant = { walletId: 'ann', amount: 10n ** 12n, ref: 'g', kind: 'grant' as const, actor: 'a', reason: 'r', at: new Date(0) }
    await openWallets(store.db, ['ann'])
    await postGrant(store.db, grant)
    const instance = await registerInstance(store, { folder: 'f' })
    let seq = 0n
    const call = (part: Partial<Parameters<typeof syncBooks>[1]>) =>
      syncBooks(store, { instance, seq: ++seq, lines: [], own: [], ask: [], ...part })
    const spend = (at: string, cost: bigint, keyId: string | null, accounts: string[]) => {
      const row = usageRow({ requestId: `${seq}`, userId: 'ann', keyId, group: 'g', at: new Date(at), cost })
      return call({ lines: [{ row, accounts: ['ann', ...accounts], owed: cost, covered: 0n }] })
    }
    const user: Budgeted = { of: 'user', id: 'ann', budget: { total: '1', monthly: '0.5', daily: '0.1', timezone: 'Europe/Berlin' } }
    const key: Budgeted = { of: 'key', id: 'k', budget: { weekly: '0.000001' } }
    const none: Budgeted = { of: 'group', id: 'g', budget: null }

    expect(await budgetsLeft([user, none, key])).toEqual([{ total: '1', monthly: '0.5', daily: '0.1' }, undefined, { weekly: '0.000001' }])
    // Before the accounts were opened: last month, yesterday, and today in Berlin.
    await spend('2026-02-20T10:00:00Z', 1_000n, 'k', [])
    await spend('2026-03-10T22:59:00Z', 20n, 'k', [])
    await spend('2026-03-10T23:01:00Z', 3n, null, [])
    const first = [{ total: '0.999998977', monthly: '0.499999977', daily: '0.099999997' }, { weekly: '0.00000098' }]
    expect(await budgetsLeft([user, key])).toEqual(first)

    // Opened, a part of it on lease: the same.
    const accounts = [user, key].flatMap((one) => budgetAccounts([one], clock.now()))
    const parts = accounts.map(({ id, budget }): AskedPart => ({ account: id, need: 5n, want: 50n, budget }))
    await call({ ask: [parts] })
    expect(await budgetsLeft([user, key])).toEqual(first)
    await spend(
      '2026-03-11T22:00:00Z',
      7n,
      'k',
      accounts.map(({ id }) => id),
    )
    expect(await budgetsLeft([user, key])).toEqual([
      { total: '0.99999897', monthly: '0.49999997', daily: '0.09999999' },
      { weekly: '0.000000973' },
    ])
    // Another limit counts at once; one below what was spent leaves less than nothing.
    const lowered: Budgeted = { ...user, budget: { total: '0.000001', monthly: '2' } }
    expect(await budgetsLeft([lowered])).toEqual([{ total: '-0.00000003', monthly: '1.99999997' }])
    // In Berlin the day is over half an hour later.
    await clock.advance(31 * 60_000)
    expect(await budgetsLeft([user])).toEqual([{ total: '0.99999897', monthly: '0.49999997', daily: '0.1' }])
  }, 60_000)
})
