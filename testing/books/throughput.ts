/** How fast the leased books of one instance hold and settle. The books are checked after every lap: fast and wrong is no result. */
import type { Account } from '#billing/lease/account'
import type { LeasedBooks, LeasedBooksOptions } from '#billing/ledger/leased-books'
import { systemClock as clock } from '#runtime/clock'
import type { EngineName } from '#testing/database/database'
import { countStatements } from '#testing/database/statements'
import { usageRow } from '#testing/usage-row'
import { booksPlace, here, type Place } from './test-books.ts'

export type BooksSetting = Pick<LeasedBooksOptions, 'coverMs' | 'settleWaits'>

export interface Lap {
  /** Requests settled per second, until the last of them is in the database. */
  rate: number
  /** Milliseconds of each hold, and of each hold with its settlement. */
  holds: number[]
  both: number[]
  /** The share (0..1) of requests that had an answer of the database in front of them. */
  asked: number
  /** Statements sent to the database, per request. */
  statements: number
}

export interface Track {
  /** Warms up a new instance and makes so many requests with so many concurrent callers. Rejects when one is refused or the books are wrong. */
  lap(setting: BooksSetting, requests: number, callers: number): Promise<Lap>
  close(): Promise<void>
}

/** Nano-dollars. Everything held is charged: leftovers would pay for the next request, without a refill. */
const cost = 1_000_000n
const credit = 10n ** 12n
/** The part of a lap's requests that is made before timing begins: a new instance has no leases yet. */
const warmUp = 0.25

/** A database with so many wallets, each with one key that has a budget; requests take them in turn. */
export async function openTrack(engine: EngineName, wallets: number): Promise<Track> {
  const place = await booksPlace(engine)
  const ids = await Promise.all(Array.from({ length: wallets }, () => place.wallet(credit)))
  let [laps, charged] = [0, 0]

  async function audit(): Promise<void> {
    const wrong = await place.settled()
    if (wrong.length > 0) throw new Error(`the books are wrong: ${JSON.stringify(wrong.slice(0, 5))}`)
    const balances = await Promise.all(ids.map(async (id) => (await place.money(id))[0] ?? 0n))
    const spent = credit * BigInt(wallets) - balances.reduce((sum, balance) => sum + balance, 0n)
    if (spent !== cost * BigInt(charged)) throw new Error(`${charged} requests were settled, and ${spent} is charged`)
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

/** Lets the event loop turn, as between requests of the network, so that answers of the database get in. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

const budgetOf = (key: string): Account => ({
  id: `budget:key:${key}:total:`,
  budget: { limit: credit, of: 'key', ofId: key, span: 'total', from: null, until: null },
})
