/**
 * Measures what it costs to bring finished requests into the database: CPU time of this process and of the database, per usage row. The
 * books are checked after every lap, because wrong results do not count.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { sql } from 'drizzle-orm'
import type { Account } from '#billing/lease/account'
import { encodedLine } from '#billing/ledger/encoded-line'
import { createMoneySync } from '#billing/ledger/money-sync'
import { remoteBooks } from '#billing/ledger/remote-books'
import { systemClock as clock, systemRandom as random } from '#runtime/clock'
import { createLog } from '#runtime/log'
import { returned } from '#store/engine/rows'
import type { Store } from '#store/engine/store'
import type { BookLine } from '#store/ledger/book-line'
import { registerInstance } from '#store/ledger/instances'
import type { NewLog } from '#store/ledger/ledger'
import { addUpHours } from '#store/usage/usage-hours'
import type { EngineName } from '#testing/database/database'
import { booksPlace } from './test-books.ts'

/** CPU time in microseconds per row. */
export interface RowCost {
  /** This process: the thread that carries requests, and all others (the embedded database is one of them). */
  main: number
  others: number
  /** The server's processes; 0 on the embedded engine. */
  database: number
  /** Milliseconds from the first row to the last one, per row. */
  wall: number
}

/** A database prepared for laps. */
export interface RowTrack {
  /** The address of the database, where it has one. */
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
const [users, keys, models, channels] = [20, 60, 12, 6] as const
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
    const row = realisticRow(n, wallets[n % users] ?? '', from)
    const accounts: Account[] = [{ id: row.userId }, budgetOf(row.keyId ?? '')]
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
          await Promise.all(lines.map((line) => sync.push(encodedLine(line))))
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

/** The row of an answered chat request, as the pipeline writes it. */
function realisticRow(n: number, userId: string, from: number): NewLog {
  const [fresh, total, reasoning] = [900 + (n % 997), 100 + (n % 499), n % 97]
  const model = `model-${n % models}`
  const attempt = {
    channel: `channel-${n % channels}`,
    key: `channel-${n % channels} 1`,
    phase: 'done',
    status: 200,
    cause: null,
    ms: 700,
  } as const
  return {
    requestId: `req_${random.hex(12)}`,
    at: new Date(from + (n % hour)),
    userId,
    keyId: `key-${n % keys}`,
    key: `the key ${n % keys}`,
    group: `group-${n % 3}`,
    model,
    upstreamModel: `vendor/${model}`,
    channel: attempt.channel,
    operation: 'generate',
    dialect: 'chat',
    stream: n % 2 === 0,
    status: 200,
    end: n % 50 === 0 ? 'cut' : 'complete',
    error: null,
    usage: {
      in: { fresh, cacheRead: n % 89, cacheWrite: { '5m': 0, '1h': 0, other: 0 }, audio: 0, image: 0 },
      out: { total, reasoning, audio: 0, image: 0 },
      units: { requests: 1, images: 0, seconds: 0, characters: 0, searches: 0 },
      provenance: 'provider',
      raw: {
        ...{ prompt_tokens: fresh, completion_tokens: total, total_tokens: fresh + total },
        prompt_tokens_details: { cached_tokens: n % 89, audio_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: reasoning, audio_tokens: 0 },
      },
    },
    provenance: 'provider',
    cost,
    price: { input: '1.25', output: '10', cacheRead: '0.125', ratio: '1' },
    losses: [],
    firstTokenMs: n % 2 === 0 ? 50 + (n % 2003) : null,
    totalMs: 100 + (n % 20_011),
    attempts: [attempt],
    upstreamCost: 900_000n,
    upstreamPrice: { input: '1', output: '8' },
    lines: null,
  }
}

const budgetOf = (key: string): Account => ({
  id: `budget:key:${key}:total:`,
  budget: { limit: credit, of: 'key', ofId: key, span: 'total', from: null, until: null },
})

/** The CPU times so far, in microseconds. `server`: the process id of the database server. */
function cpuNow(server: number | undefined): Record<'main' | 'others' | 'database', number> {
  const main = ranFor(`/proc/self/task/${process.pid}`)
  const all = sum(readdirSync('/proc/self/task').map((thread) => ranFor(`/proc/self/task/${thread}`)))
  const database = server === undefined ? 0 : endedChildrenOf(server) + sum(childrenOf(server).map((pid) => ranFor(`/proc/${pid}`)))
  return { main, others: all - main, database }
}

const sum = (all: readonly number[]) => all.reduce((some, one) => some + one, 0)

/** How long a process's first thread, or a thread, has run, in microseconds; 0 when it is gone. */
function ranFor(folder: string): number {
  try {
    return Number(readFileSync(`${folder}/schedstat`, 'utf8').split(' ')[0]) / 1_000
  } catch {
    return 0
  }
}

/** The processes of a server that are running. */
function childrenOf(parent: number): string[] {
  return readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && Number(fieldsOf(name)[1]) === parent
    } catch {
      return false
    }
  })
}

/** Microseconds per clock tick of /proc. */
const tickMicros = 10_000

/** The time of a server's processes that have ended, in microseconds. */
const endedChildrenOf = (server: number): number => {
  const fields = fieldsOf(`${server}`)
  return (Number(fields[13]) + Number(fields[14])) * tickMicros
}

/** What stands behind the name in a process's line of /proc. */
const fieldsOf = (pid: string): string[] => (readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1] ?? '').split(' ')

async function serverOf(store: Store): Promise<number> {
  const [row] = returned<{ pid: number }>(await store.db.execute(sql`select pg_backend_pid() as pid`))
  return Number(fieldsOf(`${row?.pid}`)[1])
}
