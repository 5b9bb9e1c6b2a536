/** Measures a start with the full journal of a run whose database had stopped answering. The books are checked afterwards. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openLeasedBooks } from '#billing/ledger/leased-books'
import { remoteBooks } from '#billing/ledger/remote-books'
import { systemClock as clock, systemRandom as random } from '#runtime/clock'
import { createLog } from '#runtime/log'
import type { EngineName } from '#testing/database/database'
import { cpuNow, serverOf } from './cpu-time.ts'
import { booksPlace } from './test-books.ts'

/** The cost of a replay. */
export interface ReplayTimes {
  /** Requests in the journal. */
  requests: number
  /** Milliseconds until the books were open, with everything written; and at the next start, after this one had ended normally. */
  replay: number
  next: number
  /** Milliseconds of CPU that the replay took on the thread that reads, on others, and in the database. */
  cpu: { main: number; others: number; database: number }
}

const script = join(import.meta.dirname, 'journal-filler.ts')
const users = 20
const credit = 10n ** 15n

/** Fills a journal of so many bytes on PostgreSQL, starts on it twice, and rejects when the books are wrong or a request is missing. */
export async function timeReplay(maxBytes: number, engine: EngineName = 'postgres'): Promise<ReplayTimes> {
  const place = await booksPlace(engine)
  const folder = await mkdtemp(join(tmpdir(), 'parley-test-'))
  try {
    const wallets = await Promise.all(Array.from({ length: users }, () => place.wallet(credit)))
    const { answered, cost } = await filled(folder, place.base.databaseUrl ?? '', maxBytes, wallets)
    const { store } = place
    const terms = { fsync: 'never', maxBytes, coverMs: 60_000, writeOffMs: 86_400_000, settleWaits: false } as const
    const start = async () => {
      const started = clock.monotonic()
      const books = await openLeasedBooks({
        ...{ store, clock, random, log: createLog('warn'), folder: `${folder}/journal`, installation: folder, ...terms },
        ...(store.worker && { database: remoteBooks(store.worker) }),
      })
      const took = clock.monotonic() - started
      await books.close()
      return took
    }
    const server = engine === 'postgres' ? await serverOf(store) : undefined
    const before = cpuNow(server)
    const replay = await start()
    const after = cpuNow(server)
    const next = await start()
    const wrong = await place.settled()
    if (wrong.length > 0) throw new Error(`the books are wrong: ${JSON.stringify(wrong.slice(0, 5))}`)
    const balances = await Promise.all(wallets.map(async (id) => (await place.money(id))[0] ?? 0n))
    const spent = credit * BigInt(users) - balances.reduce((sum, balance) => sum + balance, 0n)
    if (spent !== cost * BigInt(answered)) throw new Error(`${answered} requests were answered, but ${spent} nano-dollars were charged`)
    const spentOn = (part: keyof typeof before) => (after[part] - before[part]) / 1000
    const cpu = { main: spentOn('main'), others: spentOn('others'), database: spentOn('database') }
    return { requests: answered, replay, next, cpu }
  } finally {
    await place.close().finally(() => rm(folder, { recursive: true, force: true }))
  }
}

/** How many requests the process answered before its journal was full, and what each of them cost. */
async function filled(
  folder: string,
  url: string,
  maxBytes: number,
  wallets: readonly string[],
): Promise<{ answered: number; cost: bigint }> {
  const child = Bun.spawn([process.execPath, script, folder, url, `${maxBytes}`, ...wallets], { stdout: 'pipe', stderr: 'inherit' })
  const text = await new Response(child.stdout).text()
  if ((await child.exited) !== 0) throw new Error('the journal could not be filled')
  const { answered, cost } = JSON.parse(text) as { answered: number; cost: string }
  return { answered, cost: BigInt(cost) }
}
