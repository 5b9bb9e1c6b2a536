/** Usage and the ledger: the same money, while rows come and go. */
import { afterEach, expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import { returned } from '#store/engine/rows'
import { registerInstance } from '#store/ledger/instances'
import { type AskedPart, syncBooks } from '#store/ledger/leases'
import { openWallets, postGrant } from '#store/ledger/ledger'
import { wrongBooks } from '#testing/books/invariants'
import { sampledEngines, type Throwaway, throwawayDatabase } from '#testing/database/database'
import { seeded } from '#testing/seeded'
import { usageRow } from '#testing/usage-row'
import { addMonths, dropMonths } from './log-months.ts'
import { addUpUsage } from './usage.ts'
import { addUpHours } from './usage-hours.ts'
import type { UsageQuestion } from './usage-question.ts'

const start = new Date('2026-01-29T00:00:00Z')
const february = new Date('2026-02-01T00:00:00Z')
const all: UsageQuestion = {
  from: new Date('2026-01-01'),
  to: new Date('2026-03-01'),
  by: ['user'],
  timezone: 'UTC',
  filter: {},
  limit: 9,
}

let base: Throwaway
afterEach(() => base?.close())

test.each(sampledEngines(import.meta.file))(
  'what is added up is what the entries took, before rows are dropped and after, on %s',
  async (engine) => {
    base = await throwawayDatabase(engine)
    const { store } = base
    const { below } = seeded(11)
    const instance = await registerInstance(store, { folder: 'folder' })
    let seq = 0n
    let requests = 0
    await addMonths(store, start)
    for (const walletId of ['ann', 'bob']) {
      await openWallets(store.db, [walletId])
      await postGrant(store.db, { walletId, amount: 40_000n, ref: `grant:${walletId}`, kind: 'grant', actor: 'a', reason: 'r', at: start })
    }
    const spend = async (many: number, days: number) => {
      const lines = Array.from({ length: many }, () => {
        const userId = below(2) ? 'ann' : 'bob'
        const cost = BigInt(below(1_000))
        const at = new Date(start.getTime() + below(days * 86_400_000))
        return { row: usageRow({ requestId: `r${requests++}`, userId, at, cost }), accounts: [userId], owed: cost, covered: 0n }
      })
      await syncBooks(store, { instance, seq: ++seq, lines, own: [], ask: [] })
    }
    const check = async () => {
      expect(await wrongBooks(store)).toEqual([])
      const taken = await store.db.execute(sql`
      select wallet_id as user, (-sum(amount))::text as amount from entries where kind = 'usage' group by wallet_id order by 1`)
      const sums = await addUpUsage(store, all)
      expect(sums.map(({ keys, charged }) => [keys[0], charged])).toEqual(
        returned<{ user: string; amount: string }>(taken).map(({ user, amount }) => [user, BigInt(amount)]),
      )
      expect(sums.reduce((sum, { figures }) => sum + figures.requests, 0)).toBe(requests)
    }
    // Some of it more than the wallets have: what is charged is less than what it cost then.
    for (let n = 0; n < 4; n++) await spend(50, 5)
    await check()
    while ((await addUpHours(store, february)) > 0);
    await check()
    await spend(10, 5)
    while ((await addUpHours(store, february)) > 0);
    expect(await dropMonths(store, february)).toBe(true)
    await check()
    await spend(10, 2)
    await check()
    while ((await addUpHours(store, february)) > 0);
    await check()

    // A budget that begins now counts what was charged before, rows or no rows.
    const budget: AskedPart['budget'] = { limit: 1_000_000n, of: 'user', ofId: 'ann', from: null, until: null }
    const { accounts } = await syncBooks(store, {
      instance,
      seq: ++seq,
      lines: [],
      own: [],
      ask: [[{ account: 'budget:ann', need: 0n, want: 0n, budget }]],
    })
    const [ann] = await addUpUsage(store, { ...all, filter: { user: 'ann' } })
    expect(accounts.get('budget:ann')?.free).toBe(1_000_000n - (ann?.charged ?? 0n))
    await check()
  },
  120_000,
)
