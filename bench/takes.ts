/**
 * `bun bench/takes.ts`: the cost of a call that takes leases of accounts, by the number of accounts: existing ones, and budgets that
 * begin. Each call asks for 64 keys, each with its wallet and four budgets, and the next returns all of it. The table shows the median of
 * the rounds in milliseconds, and the rows of accounts and leases that a call fetches for each account that it names. Arguments choose
 * sizes. Takes a minute.
 */
import { sql } from 'drizzle-orm'
import { returned } from '#store/engine/rows'
import type { Db, Store } from '#store/engine/store'
import { registerInstance } from '#store/ledger/instances'
import { type AskedPart, syncBooks } from '#store/ledger/leases'
import { throwawayDatabase } from '#testing/database/database'
import { median } from './statistics.ts'
import { markdown } from './table.ts'

const asked = process.argv.slice(2).map(Number)
const sizes = asked.length > 0 ? asked : [1_000, 40_000, 1_000_000]
const keys = 64
const rounds = 25
const spans = ['day', 'week', 'month', 'total'] as const
const partsOfKey = spans.length + 1

/** The figures of one size. */
interface Figures {
  known: number[]
  beginning: number[]
  back: number[]
  /** Rows fetched for each account. */
  fetched: number
}

async function main(): Promise<void> {
  const bases = await Promise.all(sizes.map(() => throwawayDatabase('postgres')))
  try {
    const tracks = await Promise.all(
      bases.map(async ({ store }, n) => {
        const there = Math.floor((sizes[n] ?? 0) / partsOfKey)
        await addKeys(store.db, there)
        return openTrack(store, there)
      }),
    )
    // The sizes take turns, so that other work on the machine affects all equally.
    for (let round = 0; round < rounds; round++) for (const { lap } of tracks) await lap(round)
    const ms = (times: readonly number[]) => median(times).toFixed(1)
    const rows = tracks.map(({ figures: { known, beginning, back, fetched } }, n) => [
      (sizes[n] ?? 0).toLocaleString('en'),
      ...[known, beginning, back].map(ms),
      fetched.toFixed(1),
    ])
    console.log(markdown([['Accounts', 'known, ms', 'beginning, ms', 'given back, ms', 'rows fetched an account'], ...rows]))
  } finally {
    for (const base of bases) await base.close()
  }
}

const accountsOf = (key: number) => [`w${key}`, ...spans.map((span) => `budget:key:k${key}:${span}:`)]

const partsOf = (key: number): AskedPart[] =>
  accountsOf(key).map((account, place) => ({
    ...{ account, need: 100n, want: 100n },
    ...(place > 0 && { budget: { limit: 10n ** 9n, of: 'key', ofId: `k${key}`, from: null, until: null } }),
  }))

async function addKeys(db: Db, count: number): Promise<void> {
  const rows = sql`generate_series(0, ${count - 1}::int) as n`
  await db.execute(sql`insert into accounts (id, free) select 'w' || n, 1000000000 from ${rows}`)
  for (const span of spans) {
    await db.execute(sql`
      insert into accounts (id, kind, free, "limit", "of", of_id)
      select 'budget:key:k' || n || ${`:${span}:`}, 'budget', 1000000000, 1000000000, 'key', 'k' || n from ${rows}`)
  }
  // As many as a minute of calls leaves.
  await db.execute(sql`insert into usage_marks (hour) select date_trunc('hour', now(), 'UTC') from generate_series(1, 3000)`)
  await db.execute(sql`vacuum analyze accounts`)
}

async function openTrack(store: Store, there: number): Promise<{ figures: Figures; lap(round: number): Promise<void> }> {
  const { db } = store
  const instance = await registerInstance(store, { folder: 'bench' })
  let seq = 0n
  const call = (of: Pick<Store, 'db'>, ask: AskedPart[][], own: { account: string; back: bigint; held: bigint }[] = []) =>
    syncBooks(of, { instance, seq: ++seq, lines: [], own, ask })
  const figures: Figures = { known: [], beginning: [], back: [], fetched: 0 }
  async function timed(into: number[], work: () => Promise<unknown>): Promise<void> {
    const begun = performance.now()
    await work()
    into.push(performance.now() - begun)
  }
  async function lap(round: number): Promise<void> {
    const some = [...new Set(Array.from({ length: keys }, (_, n) => (round * keys * 7 + n * 13) % there))]
    const back = some.flatMap(accountsOf).map((account) => ({ account, back: 100n, held: 0n }))
    if (round > 0) await timed(figures.known, () => call(store, some.map(partsOf)))
    else figures.fetched = (await rowsFetched(db, (tx) => call({ db: tx }, some.map(partsOf)))) / (some.length * partsOfKey)
    await timed(figures.back, () => call(store, [], back))
    const first = there + 1_000 + round * keys
    await db.execute(
      sql`insert into accounts (id, free) select 'w' || n, 1000000000 from generate_series(${first}::int, ${first + keys - 1}::int) as n`,
    )
    const fresh = Array.from({ length: keys }, (_, n) => partsOf(first + n))
    await timed(figures.beginning, () => call(store, fresh))
  }
  return { figures, lap }
}

/** How many rows of accounts and leases the work fetches. */
function rowsFetched(db: Db, work: (db: Db) => Promise<unknown>): Promise<number> {
  return db.transaction(async (tx) => {
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

await main()
