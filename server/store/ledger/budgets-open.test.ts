/** What a budget that begins counts of the time before it: the same whether rows are read or their sums, to the nano-dollar. */
import { afterEach, describe, expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import type { Store } from '#store/engine/store'
import { addMonths, dropMonths } from '#store/usage/log-months'
import { addUpHours } from '#store/usage/usage-hours'
import { wrongBooks } from '#testing/books/invariants'
import { engines, sampledEngines, type Throwaway, throwawayDatabase } from '#testing/database/database'
import { putManyUsageRows } from '#testing/database/many-usage-rows'
import { isDeep, sampled } from '#testing/sample'
import { seeded } from '#testing/seeded'
import { usageRow } from '#testing/usage-row'
import { registerInstance } from './instances.ts'
import { type AskedPart, syncBooks } from './leases.ts'
import { openWallets, postGrant } from './ledger.ts'

const hour = 3_600_000
const day = 24 * hour
const start = Date.parse('2026-01-28T00:00:00Z')
const february = new Date('2026-02-01T00:00:00Z')

type Budget = NonNullable<AskedPart['budget']>
interface Spent {
  at: number
  charged: bigint
  key: string | null
  user: string
  member: string | null
  group: string
}

/** An instance that writes rows of chance and opens budgets; it knows every row that it wrote. */
async function spender(store: Store, seed: number, name: string) {
  const { below, pick } = seeded(seed)
  const instance = await registerInstance(store, { folder: name })
  const spent: Spent[] = []
  let seq = 0n
  const call = (part: Partial<Parameters<typeof syncBooks>[1]>) =>
    syncBooks(store, { instance, seq: ++seq, lines: [], own: [], ask: [], ...part })
  return {
    spent,
    below,
    async spend(many: number, from: number, days: number) {
      const rows = Array.from({ length: many }, (): Spent => {
        const at = below(3) === 0 ? below(days * 24) * hour : below(days * day)
        return {
          at: from + at,
          charged: BigInt(below(1_000)),
          key: pick([null, 'k1', 'k2']),
          ...pick([
            { user: 'ann', member: null },
            { user: 'team_t', member: null },
            { user: 'team_t', member: 'team_t.ann' },
            { user: 'team_t', member: 'team_t.bob' },
          ]),
          group: pick(['g1', 'g2']),
        }
      })
      const lines = rows.map(({ at, charged, key, user, member, group }, n) => ({
        row: usageRow({
          requestId: `${name}-${seq}-${n}`,
          userId: user,
          memberId: member,
          keyId: key,
          group,
          at: new Date(at),
          cost: charged,
        }),
        accounts: [user],
        owed: charged,
        covered: 0n,
      }))
      await call({ lines })
      spent.push(...rows)
    },
    async open(account: string, budget: Budget): Promise<bigint> {
      const { accounts } = await call({ ask: [[{ account, need: 0n, want: 0n, budget }]] })
      return budget.limit - (accounts.get(account)?.free ?? -1n)
    },
  }
}

const owners = [
  ['key', 'k1'],
  ['key', 'k2'],
  ['user', 'ann'],
  ['user', 'team_t'],
  ['member', 'team_t.ann'],
  ['group', 'g2'],
] as const

function budgetOf([of, ofId]: (typeof owners)[number], from: number | null, until: number | null): Budget {
  return { limit: 1_000n, of, ofId, from: from === null ? null : new Date(from), until: until === null ? null : new Date(until) }
}

function chargedIn(spent: readonly Spent[], { of, ofId, from, until }: Budget): bigint {
  const counted = spent.filter(
    (row) => row[of] === ofId && row.at >= Number(from ?? 0) && row.at < Number(until ?? Number.POSITIVE_INFINITY),
  )
  return counted.reduce((sum, row) => sum + row.charged, 0n)
}

let base: Throwaway
afterEach(() => base?.close())

async function begin(engine: (typeof engines)[number]): Promise<Store> {
  base = await throwawayDatabase(engine)
  for (const walletId of ['ann', 'bob', 'team_t']) {
    await openWallets(base.store.db, [walletId])
    await postGrant(base.store.db, {
      ...{ walletId, amount: 10n ** 12n, ref: `grant:${walletId}`, kind: 'grant' as const, actor: 'a', reason: 'r' },
      at: new Date(start),
    })
  }
  await addMonths(base.store, new Date(start))
  return base.store
}

describe.each(sampledEngines(import.meta.file))('a budget that begins, on %s', (engine) => {
  test.each(sampled([1, 2, 3], 1))(
    'counts what its window holds, wherever that is cut and whatever is added up (%d)',
    async (seed) => {
      const store = await begin(engine)
      const { spent, below, spend, open } = await spender(store, seed, 'one')
      let opened = 0
      async function check(earliest: number): Promise<void> {
        for (const owner of owners) {
          // Of zones that are whole hours off, 30 and 45 minutes; then any instant at all.
          const edges = [0, 30, 45, 60].map((minutes) => earliest + below(4) * day - minutes * 60_000)
          const windows: [number | null, number | null][] = [
            [null, null],
            ...edges.map((from): [number, number] => [Math.max(from, earliest), from + day]),
            [earliest + below(3 * day), earliest + 3 * day + below(3 * day)],
            [earliest + below(day), null],
            [null, earliest + day + below(day)],
          ]
          for (const [from, until] of windows) {
            const budget = budgetOf(owner, from, until)
            expect([owner, budget.from, budget.until, await open(`b${opened++}`, budget)]).toEqual([
              ...[owner, budget.from, budget.until],
              chargedIn(spent, budget),
            ])
          }
        }
        expect(await wrongBooks(store)).toEqual([])
      }
      const addUp = async (until: number) => {
        while ((await addUpHours(store, new Date(until))) > 0);
      }
      await spend(300, start, 7)
      await check(start)
      await addUp(start + 3 * day)
      await check(start)
      await addUp(start + 9 * day)
      await check(start)
      // Late ones, with the hours of some of them added up again.
      await spend(40, start, 7)
      await addUp(start + 2 * day)
      await check(start)
      await addUp(start + 9 * day)
      // Sums of windows that cut through an hour whose rows are gone could not be checked any more.
      await store.db.execute(sql`delete from accounts where kind = 'budget'`)
      expect(await dropMonths(store, february)).toBe(true)
      await check(february.getTime())
      await spend(60, start, 7)
      await check(february.getTime())
      await addUp(start + 9 * day)
      await check(february.getTime())
    },
    120_000,
  )

  test('where rows were dropped an hour counts to the window in which it begins', async () => {
    const store = await begin(engine)
    const { spent, spend, open } = await spender(store, 4, 'one')
    await spend(500, start, 3)
    while ((await addUpHours(store, february)) > 0);
    await dropMonths(store, february)
    const [from, until] = [start + day - hour / 2, start + 2 * day - hour / 2]
    const whole = chargedIn(spent, budgetOf(['user', 'ann'], from + hour / 2, until + hour / 2))
    expect(await open('b', budgetOf(['user', 'ann'], from, until))).toBe(whole)
    expect(await wrongBooks(store)).toEqual([])
  }, 60_000)
})

describe.if(engines.includes('postgres'))('a budget that begins on PostgreSQL', () => {
  test('misses nothing while others settle, add up and drop', async () => {
    const store = await begin('postgres')
    const all = await Promise.all([1, 2, 3].map((n) => spender(store, n, `s${n}`)))
    const [opener] = [await spender(store, 9, 'opener')]
    await all[0]?.spend(300, start, 7)
    let over = false
    const upkeep = (async () => {
      while (!over) {
        await addUpHours(store, new Date(start + 9 * day))
        await dropMonths(store, february)
      }
    })()
    const settling = all.map(async ({ spend }) => {
      for (let n = 0; n < (isDeep ? 25 : 12); n++) await spend(20, start, 7)
    })
    for (let n = 0; n < (isDeep ? 40 : 20); n++) {
      for (const owner of owners)
        await opener.open(`b${n}-${owner[1]}`, budgetOf(owner, n % 2 ? null : february.getTime() + n * 31 * 60_000, null))
    }
    await Promise.all(settling)
    over = true
    await upkeep
    expect(await wrongBooks(store)).toEqual([])
  }, 120_000)

  test('is there at once, however many rows there are', async () => {
    base = await throwawayDatabase('postgres')
    const { store, databaseUrl = '' } = base
    const until = new Date('2026-03-01T00:00:00Z')
    await putManyUsageRows(databaseUrl, 50_000, until)
    // As the upkeep would have left it: only the last hours are not added up yet. One row of sums for every usage row is the worst.
    await store.db.execute(sql`
      insert into usage_hours (hour, user_id, key_id, "group", model, channel, requests, errors, fresh, cache_read, cache_write, audio_in,
        image_in, output, reasoning, audio_out, image_out, images, seconds, characters, searches, cost, charged, total_ms, first_token_ms)
      select date_trunc('hour', at, 'UTC'), user_id, key_id, "group", model, channel, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, cost, charged, '{}', '{}' from logs`)
    await store.db.execute(sql`delete from usage_marks where hour < '2026-02-28T12:00:00Z'`)
    await store.db.execute(sql`analyze usage_hours`)
    const { open } = await spender(store, 1, 'one')
    const begun = performance.now()
    const charged = await open('b', { limit: 1n, of: 'group', ofId: 'group1', from: null, until: null })
    // Some 10 ms on a quiet machine.
    expect(performance.now() - begun).toBeLessThan(500)
    const [row] = (await store.db.execute(sql`select sum(charged)::text as sum from logs where "group" = 'group1'`)) as unknown as {
      sum: string
    }[]
    expect(charged).toBe(BigInt(row?.sum ?? 0))
  }, 120_000)
})
