/**
 * Measures what it costs to bring finished requests into the database: CPU time of this process and of the database, per usage row. The
 * books are checked after every lap, because wrong results do not count.
 */

import { encodedLine } from '#billing/journal/encoded-line'
import type { Account } from '#billing/lease/account'
import { createMoneySync } from '#billing/ledger/money-sync'
import { remoteBooks } from '#billing/ledger/remote-books'
import { systemClock as clock, systemRandom as random } from '#runtime/clock'
import { createLog } from '#runtime/log'
import type { BookLine } from '#store/ledger/book-line'
import { registerInstance } from '#store/ledger/instances'
import { addUpHours } from '#store/usage/usage-hours'
import type { EngineName } from '#testing/database/database'
import { cpuNow, serverOf } from './cpu-time.ts'
import { keyBudget, realisticRow } from './realistic-row.ts'
import { booksPlace } from './test-books.ts'

/** CPU time in microseconds per row. */
export interface RowCost {
  /** This process: the main thread, and all others (the embedded database is one of them). */
  main: number
  others: number
  /** The server's processes; 0 on the embedded engine. */
  database: number
  /** Milliseconds from the first row to the last one, per row. */
  wall: number
}

/** A database prepared for laps. */
export interface RowTrack {
  /** The address of the database, if it has one. */
  url: string | undefined
  /** Settles this many requests, so many at once, each time waiting until all of them are in the database. */
  lap(rows: number, batch: number): Promise<RowCost>
  /** Adds up the hours of all rows so far, as upkeep does when they are over; the cost per row. */
  addUp(): Promise<RowCost>
  /** Rejects when the books are wrong. */
  close(): Promise<void>
}

/** In nano-dollars. */
const cost = 1_000_000n
const credit = 10n ** 15n
const users = 20
const hour = 3_600_000

/** Opens a database with twenty users, each with a wallet and three keys with budgets. */
export async function openRowTrack(engine: EngineName): Promise<RowTrack> {
  const place = await booksPlace(engine)
  const { store } = place
  const wallets = await Promise.all(Array.from({ length: users }, () => place.wallet(credit)))
  const server = engine === 'postgres' ? await serverOf(store) : undefined
  const instance = await registerInstance(store, { folder: 'bench' })
  const sync = createMoneySync({
    ...(store.worker && { database: remoteBooks(store.worker) }),
    ...{ store, clock, random, instance, folder: 'bench', log: createLog('silent'), coverMs: 60_000, validMs: 3_600_000, lingerMs: 0 },
    flushed: () => {},
    forgotten: () => Promise.reject(new Error('the database has lost commits')),
    closed: () => {
      throw new Error('the instance was closed')
    },
  })
  // The hour before this one, as if it was over when the last row came.
  const from = Math.floor(clock.now() / hour) * hour - hour
  let [written, added] = [0, 0]

  async function settle(n: number): Promise<BookLine> {
    const row = realisticRow(n, wallets[n % users] ?? '', from, cost)
    const accounts: Account[] = [{ id: row.userId }, keyBudget(row.keyId ?? '', credit)]
    const held = sync.hold(accounts, cost)
    if (held !== true && (await held) !== true) throw new Error('a request was refused')
    const ids = accounts.map(({ id }) => id)
    return { row, accounts: ids, owed: cost, covered: sync.settle(ids, cost, cost) }
  }

  async function costOf(rows: number, work: () => Promise<unknown>): Promise<RowCost> {
    Bun.gc(true)
    const [before, started] = [cpuNow(server), clock.monotonic()]
    await work()
    const [after, ended] = [cpuNow(server), clock.monotonic()]
    const each = (name: keyof typeof before) => (after[name] - before[name]) / rows
    return { main: each('main'), others: each('others'), database: each('database'), wall: (ended - started) / rows }
  }

  return {
    url: place.base.databaseUrl,
    lap: (rows, batch) =>
      costOf(rows, async () => {
        for (let done = 0; done < rows; done += batch) {
          const lines: BookLine[] = []
          for (let n = 0; n < batch; n++) lines.push(await settle(written++))
          const encoded = lines.map((line) => encodedLine(line))
          for (const line of encoded) sync.push(line)
          await Promise.all(encoded.map(sync.gone))
          if (sync.answeringSince() === undefined) throw new Error('the database does not answer')
        }
      }),
    addUp() {
      const fresh = written - added
      added = written
      return costOf(fresh, () => addUpHours(store, new Date(from + 2 * hour)))
    },
    async close() {
      await sync.stop()
      const balances = await Promise.all(wallets.map(async (id) => (await place.money(id))[0] ?? 0n))
      const spent = credit * BigInt(users) - balances.reduce((sum, balance) => sum + balance, 0n)
      await place.close()
      if (spent !== cost * BigInt(written)) throw new Error(`${written} requests were settled, but ${spent} nano-dollars were charged`)
    },
  }
}
