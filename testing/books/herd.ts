/**
 * A thundering herd: many cold keys, each with a wallet and several budgets that begin, on two instances, while one warm key continues.
 * Measures how long holds take, and which were refused.
 */
import type { Account } from '#billing/lease/account'
import { type BooksDatabase, directBooks } from '#billing/ledger/books-database'
import { openLeasedBooks } from '#billing/ledger/leased-books'
import { remoteBooks } from '#billing/ledger/remote-books'
import { systemClock as clock, systemRandom as random } from '#runtime/clock'
import { createLog } from '#runtime/log'
import { openStore } from '#store/engine/open'
import { openWallets, postGrants, readWallets } from '#store/ledger/ledger'
import { throwawayDatabase } from '#testing/database/database'
import { usageRow } from '#testing/usage-row'
import { cpuNow, serverOf } from './cpu-time.ts'
import { codeOf } from './test-books.ts'

/** How large the herd is. */
export interface HerdSize {
  keys: number
  callers: number
  /** The budgets of each key; absent: all four. */
  spans?: readonly (typeof spans)[number][]
  /** Their windows are opened ahead, as before midnight, and are there when the herd comes. */
  opened?: boolean
}

/** The result. Times in milliseconds. */
export interface HerdOutcome {
  /** The number of holds by outcome. */
  codes: Record<string, number>
  /** How long holds of cold keys took. */
  cold: { first: number; p50: number; p99: number }
  /** How long a warm key's whole requests took beside them, until their ends were in the journal: the terms are those of the program. */
  warm: { count: number; p50: number; p99: number }
  /** The same while windows were opened ahead. */
  opening?: { count: number; p50: number; p99: number; wall: number }
  /** From the first request to the last. */
  wall: number
  /** CPU time of both instances, which share this process, on the main thread and on others, and of the database. */
  cpu: { main: number; others: number; database: number }
  /** Calls to the database about accounts, and how many accounts they asked for. */
  calls: { count: number; asked: number }
  /** Nano-dollars that the wallets were charged. */
  spent: bigint
}

const spans = ['day', 'week', 'month', 'total'] as const
const credit = 10n ** 12n
const cost = 1_000_000n
/** As `budgets-ahead.ts` does: so many budgets in a transaction, milliseconds between two. */
const [openedAtOnce, openedPauseMs] = [10, 20]

/** Runs the herd on PostgreSQL. */
export async function herd({ keys, callers, spans: mine = spans, opened = false }: HerdSize): Promise<HerdOutcome> {
  const base = await throwawayDatabase('postgres')
  const closes: (() => Promise<unknown>)[] = []
  const calls = { count: 0, asked: 0 }
  const counted = (database: BooksDatabase): BooksDatabase => ({
    ...database,
    sync(call, withinMs) {
      calls.count += 1
      calls.asked += call.ask.reduce((sum, { length }) => sum + length, 0)
      return database.sync(call, withinMs)
    },
  })
  async function instance(name: string) {
    const dataFolder = `${base.folder}/${name}`
    const store = await openStore({ databaseUrl: base.databaseUrl ?? '', dataFolder, clock, random })
    closes.push(() => store.close())
    if (!store.worker) throw new Error('the store has no worker')
    const files = { folder: `${dataFolder}/journal`, installation: name, fsync: 'never', maxBytes: 64 * 1024 * 1024 } as const
    const terms = { coverMs: 60_000, writeOffMs: 86_400_000, settleWaits: false }
    return openLeasedBooks({
      store,
      database: counted(remoteBooks(store.worker)),
      clock,
      random,
      log: createLog('silent'),
      ...files,
      ...terms,
    })
  }
  try {
    const instances = [await instance('a'), await instance('b')]
    const users = Array.from({ length: Math.ceil(keys / 10) }, (_, n) => `user-${n}`)
    await openWallets(base.store.db, [...users, 'warm'])
    const grant = { kind: 'grant', actor: 't', reason: 'r', at: new Date(0) } as const
    await base.store.db.transaction((tx) =>
      postGrants(
        tx,
        [...users, 'warm'].map((walletId) => ({ walletId, amount: credit, ref: `grant:${walletId}`, ...grant })),
      ),
    )
    const from = new Date(Math.floor(clock.now() / 86_400_000) * 86_400_000)
    const budgetOf = (key: string, span: (typeof spans)[number]): Account => ({
      id: `budget:key:${key}:${span}:${span === 'total' ? '' : from.toISOString()}`,
      budget: { limit: credit, of: 'key', ofId: key, span, from: span === 'total' ? null : from, until: null },
    })
    const codes: Record<string, number> = {}
    const cold: number[] = []
    const warm: number[] = []
    let [next, ids] = [0, 0]
    let over = false
    async function request(
      books: (typeof instances)[number],
      key: string,
      userId: string,
      accounts: readonly Account[],
      into: number[],
      whole: boolean,
    ) {
      const started = clock.monotonic()
      const row = usageRow({ requestId: `r${++ids}`, at: new Date(clock.now()), userId, keyId: key, cost })
      const code = await codeOf(books.hold(row.requestId, accounts, 2n * cost))
      codes[code] = (codes[code] ?? 0) + 1
      if (!whole) into.push(clock.monotonic() - started)
      if (code === 'ok') await books.settle(row)
      if (whole) into.push(clock.monotonic() - started)
    }
    async function caller(n: number): Promise<void> {
      const books = instances[n % 2]
      while (books && next < keys) {
        const key = next++
        const name = `key-${key}`
        const userId = users[key % users.length] ?? ''
        await request(books, name, userId, [{ id: userId }, ...mine.map((span) => budgetOf(name, span))], cold, false)
      }
    }
    async function warmKey(into: number[]): Promise<void> {
      const [books] = instances
      while (books && !over) {
        await request(books, 'warm', 'warm', [{ id: 'warm' }], into, true)
        await clock.sleep(10)
      }
    }
    const [books] = instances
    if (books) for (let n = 0; n < 20; n++) await request(books, 'warm', 'warm', [{ id: 'warm' }], [], true)
    /** The durations of the warm key's requests while windows are opened ahead, by the number of keys opened at a time. */
    async function openAhead(): Promise<HerdOutcome['opening']> {
      const into: number[] = []
      const begun = clock.monotonic()
      const beside = warmKey(into)
      const database = directBooks(base.store, clock)
      for (let key = 0; key < keys; key += openedAtOnce) {
        const some = Array.from({ length: Math.min(openedAtOnce, keys - key) }, (_, n) =>
          mine.map((span) => budgetOf(`key-${key + n}`, span)),
        )
        await database.openBudgets(some.flat().map(({ id, budget }) => ({ account: id, budget })))
        await clock.sleep(openedPauseMs)
      }
      over = true
      await beside
      over = false
      return { count: into.length, ...percentiles(into), wall: clock.monotonic() - begun }
    }
    const opening = opened ? await openAhead() : undefined
    const server = await serverOf(base.store)
    const before = cpuNow(server)
    Object.assign(calls, { count: 0, asked: 0 })
    const started = clock.monotonic()
    const beside = warmKey(warm)
    await Promise.all(Array.from({ length: callers }, (_, n) => caller(n)))
    const wall = clock.monotonic() - started
    const after = cpuNow(server)
    const told = { ...calls }
    over = true
    await beside
    for (const each of instances) while (!(await each.flush()));
    for (const each of instances) await each.close()
    const balances = await readWallets(base.store.db, [...users, 'warm'])
    const left = [...balances.values()].reduce((sum, { balance }) => sum + balance, 0n)
    const spent = credit * BigInt(users.length + 1) - left
    const timesOpening = opening && { opening }
    return {
      ...timesOpening,
      codes,
      cold: { first: cold[0] ?? 0, ...percentiles(cold) },
      warm: { count: warm.length, ...percentiles(warm) },
      wall,
      cpu: { main: ms(after.main - before.main), others: ms(after.others - before.others), database: ms(after.database - before.database) },
      calls: told,
      spent,
    }
  } finally {
    for (const each of closes) await each()
    await base.close()
  }
}

const ms = (micros: number) => Math.round(micros / 1_000)

function percentiles(values: readonly number[]): { p50: number; p99: number } {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (part: number) => Math.round(sorted[Math.floor(part * (sorted.length - 1))] ?? 0)
  return { p50: at(0.5), p99: at(0.99) }
}
