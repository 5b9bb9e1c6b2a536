/**
 * Measures how fast the leased books of one instance hold and settle. The books are checked after every lap, because wrong results do not
 * count.
 */
import type { Account } from '#billing/lease/account'
import type { LeasedBooks, LeasedBooksOptions } from '#billing/ledger/leased-books'
import { systemClock as clock } from '#runtime/clock'
import type { EngineName } from '#testing/database/database'
import { countStatements } from '#testing/database/statements'
import { usageRow } from '#testing/usage-row'
import { booksPlace, here, type Place } from './test-books.ts'

/** The options that a benchmark compares. */
export type BooksSetting = Pick<LeasedBooksOptions, 'coverMs' | 'settleWaits'>

/** The measurements of one lap. */
export interface Lap {
  /** Requests settled per second, up to the last write to the database. */
  rate: number
  /** Milliseconds of each hold, and of each hold with its settlement. */
  holds: number[]
  both: number[]
  /** The share (0..1) of requests that waited for a call to the database. */
  asked: number
  /** SQL statements per request. */
  statements: number
}

/** A database prepared for laps. */
export interface Track {
  /**
   * Warms up a new instance and makes this many requests with this many concurrent callers. Rejects if a request is refused or the books
   * are wrong.
   */
  lap(setting: BooksSetting, requests: number, callers: number): Promise<Lap>
  close(): Promise<void>
}

/** In nano-dollars. The whole hold is charged: a remainder would pay for the next request without a refill. */
const cost = 1_000_000n
const credit = 10n ** 12n
/** The part of a lap's requests that runs before timing starts: a new instance has no leases yet. */
const warmUp = 0.25

/** Opens a database with this many wallets, each with one key that has a budget; requests use them in turn. */
export async function openTrack(engine: EngineName, wallets: number): Promise<Track> {
  const place = await booksPlace(engine)
  const ids = await Promise.all(Array.from({ length: wallets }, () => place.wallet(credit)))
  let [laps, charged] = [0, 0]

  async function audit(): Promise<void> {
    const wrong = await place.settled()
    if (wrong.length > 0) throw new Error(`the books are wrong: ${JSON.stringify(wrong.slice(0, 5))}`)
    const balances = await Promise.all(ids.map(async (id) => (await place.money(id))[0] ?? 0n))
    const spent = credit * BigInt(wallets) - balances.reduce((sum, balance) => sum + balance, 0n)
    if (spent !== cost * BigInt(charged)) throw new Error(`${charged} requests were settled, but ${spent} nano-dollars were charged`)
  }

  return {
    async lap(setting, requests, callers) {
      const books = await place.begin({ ...setting, fsync: '100ms' }, here)
      const name = `lap-${++laps}`
      const warm = Math.ceil(requests * warmUp)
      await race(place, books, ids, `${name}-warm`, warm, callers)
      const lap = await race(place, books, ids, name, requests, callers)
      charged += warm + requests
      await audit()
      return lap
    },
    close: () => place.close(),
  }
}

async function race(
  place: Place,
  books: LeasedBooks,
  ids: readonly string[],
  name: string,
  requests: number,
  callers: number,
): Promise<Lap> {
  const statements = countStatements(place.store)
  const [holds, both]: [number[], number[]] = [[], []]
  let [next, asked] = [0, 0]

  async function request(n: number): Promise<void> {
    const id = ids[n % ids.length] ?? ''
    const requestId = `${name}-${n}`
    const [answered, started] = [statements.answered(), clock.monotonic()]
    await books.hold(requestId, [{ id }, budgetOf(id)], cost)
    const held = clock.monotonic()
    if (statements.answered() > answered) asked += 1
    await turn()
    const ended = clock.monotonic()
    await books.settle(usageRow({ requestId, at: new Date(clock.now()), userId: id, keyId: id, cost }))
    holds.push(held - started)
    both.push(held - started + clock.monotonic() - ended)
  }

  async function caller(): Promise<void> {
    while (next < requests) {
      await request(next++)
      await turn()
    }
  }

  const started = clock.monotonic()
  try {
    await Promise.all(Array.from({ length: callers }, caller))
    if (!(await books.flush())) throw new Error('the database does not answer')
  } finally {
    statements.stop()
  }
  const seconds = (clock.monotonic() - started) / 1000
  return { rate: requests / seconds, holds, both, asked: asked / requests, statements: statements.sent() / requests }
}

/** Yields to the event loop, as between requests from the network, so that database answers are processed. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

const budgetOf = (key: string): Account => ({
  id: `budget:key:${key}:total:`,
  budget: { limit: credit, of: 'key', ofId: key, span: 'total', from: null, until: null },
})
