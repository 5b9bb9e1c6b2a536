/**
 * A process that fills its journal: while its database answers it takes leases for 60 keys, then the database stops answering, and
 * requests are held and settled until the journal is full. It ends without closing anything, as by `kill -9`, and prints how many were
 * answered and what each cost in nano-dollars. Arguments: the data folder, the address of the database, the bytes of the journal, the
 * wallets.
 */
import type { Account } from '#billing/lease/account'
import { directBooks } from '#billing/ledger/books-database'
import { openLeasedBooks } from '#billing/ledger/leased-books'
import { systemClock as clock, systemRandom as random } from '#runtime/clock'
import { createLog } from '#runtime/log'
import { openStore } from '#store/engine/open'
import { keyBudget, realisticRow, rowKeys } from './realistic-row.ts'
import { codeOf } from './test-books.ts'

const [folder = '', databaseUrl = '', maxBytes = '', ...wallets] = process.argv.slice(2)
const cost = 1_000_000n
/** More than all requests of one key cost. */
const share = 10n ** 11n
const hour = 3_600_000
/** The number of concurrent requests. */
const together = 100
/** The journal creates files meanwhile. */
const patience = 40

const store = await openStore({ dataFolder: `${folder}/store`, databaseUrl, clock, random })
const database = directBooks(store, clock)
const silence = Promise.withResolvers<never>()
const silent = Promise.withResolvers<void>()
let isSilent = false
const books = await openLeasedBooks({
  store,
  clock,
  random,
  log: createLog('silent'),
  folder: `${folder}/journal`,
  installation: folder,
  fsync: 'never',
  maxBytes: Number(maxBytes),
  coverMs: 60_000,
  writeOffMs: 24 * hour,
  settleWaits: false,
  database: {
    ...database,
    sync(call, withinMs) {
      if (!isSilent) return database.sync(call, withinMs)
      silent.resolve()
      return silence.promise
    },
  },
})
const from = Math.floor(clock.now() / hour) * hour - hour

const rowOf = (n: number, charge: bigint) => realisticRow(n, wallets[n % wallets.length] ?? '', from, charge)
const payers = ({ userId, keyId }: ReturnType<typeof rowOf>): Account[] => [{ id: userId }, keyBudget(keyId ?? '', share * 10n)]

/** Holds and settles one request; false when the journal is full. */
async function request(n: number): Promise<boolean> {
  const row = rowOf(n, cost)
  for (let tries = 0; tries < patience; tries++) {
    const code = await codeOf(books.hold(row.requestId, payers(row), cost))
    if (code === 'ok') {
      await books.settle(row)
      return true
    }
    if (code !== 'journal_full') throw new Error(`a request was refused: ${code}`)
    await clock.sleep(50)
  }
  return false
}

// A hold keeps the lease here; released after the database has stopped answering, the money can be spent locally.
const ahead = Array.from({ length: rowKeys }, (_, n) => rowOf(n, 0n))
await Promise.all(ahead.map((row) => books.hold(row.requestId, payers(row), share)))
isSilent = true
await silent.promise
await Promise.all(ahead.map((row) => books.release(row)))

let answered = 0
for (let isFull = false; !isFull; ) {
  const done = await Promise.all(Array.from({ length: together }, (_, n) => request(answered + n)))
  answered += done.filter(Boolean).length
  isFull = done.includes(false)
}
process.stdout.write(`${JSON.stringify({ answered, cost: `${cost}` })}\n`, () => process.exit(0))
