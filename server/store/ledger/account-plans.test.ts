/**
 * What a call reads of the accounts depends on what it names, not on how many there are or on what the planner believes of them: counted
 * in the database, with statistics of an empty table, as after a first day, and with right ones.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import { returned } from '#store/engine/rows'
import type { Db } from '#store/engine/store'
import { engines, type Throwaway, throwawayDatabase } from '#testing/database/database'
import { isDeep } from '#testing/sample'
import { usageRow } from '#testing/usage-row'
import type { BookLine } from './book-line.ts'
import { registerInstance } from './instances.ts'
import { type AskedPart, syncBooks } from './leases.ts'

const at = new Date('2026-03-01T10:20:30Z')
/** Keys with a wallet and a budget each. */
const sizes = isDeep ? [500, 20_000, 500_000] : [500, 20_000]
const named = 50

describe.each(engines.filter((engine) => engine === 'postgres'))('calls on %s', (engine) => {
  let base: Throwaway
  let instance = 0n
  let seq = 0n
  let made = 0
  const settled = new Map<string, number>()
  const taken = new Map<string, number>()

  beforeAll(async () => {
    base = await throwawayDatabase(engine)
    instance = await registerInstance(base.store, { folder: 'f' })
    await base.store.db.execute(sql`alter table accounts set (autovacuum_enabled = false)`)
    await base.store.db.execute(sql`alter table leases set (autovacuum_enabled = false)`)
  }, 60_000)
  afterAll(() => base.close())

  const accountsOf = (n: number) => [`w${n}`, `budget:key:k${n}:total:`] as const
  const partsOf = (n: number): AskedPart[] =>
    accountsOf(n).map((account, place) => ({
      ...{ account, need: 100n, want: 100n },
      ...(place === 1 && { budget: { limit: 10n ** 9n, of: 'key', ofId: `k${n}`, from: null, until: null } }),
    }))
  const lineOf = (n: number): BookLine => ({
    row: usageRow({ requestId: `r${seq}-${n}`, at, userId: `w${n}`, keyId: `k${n}`, cost: 1n }),
    accounts: accountsOf(n),
    owed: 1n,
    covered: 1n,
  })

  /** As many of the accounts as if they had been used for months, most of them with a lease of this instance. */
  async function grow(db: Db, keys: number, afterWallets?: () => Promise<unknown>): Promise<void> {
    const rows = sql`generate_series(${made}::int, ${keys - 1}::int) as n`
    await db.execute(sql`insert into accounts (id, free) select 'w' || n, 1000000000 from ${rows}`)
    await afterWallets?.()
    await db.execute(sql`
      insert into accounts (id, kind, free, "limit", "of", of_id)
      select 'budget:key:k' || n || ':total:', 'budget', 1000000000, 1000000000, 'key', 'k' || n from ${rows}`)
    await db.execute(sql`
      insert into leases (instance, account_id, amount) select ${instance}::bigint, id || n || suffix, 1000 from ${rows},
        (values ('w', ''), ('budget:key:k', ':total:')) as kind(id, suffix)`)
    made = keys
  }

  /** How many rows of accounts and leases the work fetches. */
  async function fetched(work: (db: Db) => Promise<unknown>): Promise<number> {
    return base.store.db.transaction(async (tx) => {
      const count = async () => {
        const [row] = returned<{ n: string }>(
          await tx.execute(sql`
            select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::text as n from pg_stat_xact_user_tables where relname in ('accounts', 'leases')`),
        )
        return Number(row?.n)
      }
      const before = await count()
      await work(tx)
      return (await count()) - before
    })
  }

  test('settle, take and give back with many budgets, where the planner has only seen wallets', async () => {
    const keys = sizes[0] ?? 0
    await grow(base.store.db, keys, () => base.store.db.execute(sql`analyze accounts, leases`))
    const budgets = 5_000
    await base.store.db.execute(sql`
      insert into accounts (id, kind, free, "limit", "of", of_id, until)
      select 'budget:key:o' || n || ':day:', 'budget', 1000000000, 1000000000, 'key', 'o' || n, now() from generate_series(1, ${budgets}::int) as n`)
    const some = Array.from({ length: named }, (_, n) => n)
    const uncovered = some.map((n) => ({ ...lineOf(n), covered: 0n }))
    const own = some.flatMap((n) => accountsOf(n).map((account) => ({ account, back: 10n, held: 0n })))
    const call = { instance, lines: [], own: [], ask: [] }
    for (const part of [{ ask: some.map(partsOf) }, { lines: some.map(lineOf) }, { lines: uncovered }, { own }]) {
      const rows = await fetched((db) => syncBooks({ db }, { ...call, ...part, seq: ++seq }))
      expect(rows, `${Object.keys(part)}`).toBeLessThan(named * 2 * 2 * 10)
    }
  }, 60_000)

  test.each(sizes)(
    'settle and take with %i keys, whether the planner knows of them or not',
    async (keys) => {
      await grow(base.store.db, keys)
      for (const known of ['unknown', 'known']) {
        if (known === 'known') await base.store.db.execute(sql`analyze accounts, leases`)
        const lines = Array.from({ length: named }, (_, n) => lineOf(n))
        const call = { instance, own: [], ask: [] }
        settled.set(`${keys} ${known}`, await fetched((db) => syncBooks({ db }, { ...call, seq: ++seq, lines })))
        const ask = Array.from({ length: named }, (_, n) => partsOf(n))
        taken.set(`${keys} ${known}`, await fetched((db) => syncBooks({ db }, { ...call, seq: ++seq, lines: [], ask })))
      }
      console.log(`${keys} keys: rows fetched to settle ${[...settled.values()].slice(-2)}, to take ${[...taken.values()].slice(-2)}`)
      // Two accounts and two leases for each line, and a few looks at each; a table of a few pages may be read as a whole.
      for (const counts of [settled, taken]) for (const rows of counts.values()) expect(rows).toBeLessThan(named * 2 * 2 * 10)
    },
    120_000,
  )
})
