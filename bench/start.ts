/**
 * `bun bench/start.ts ROWS`: how long the books of an instance take to open on PostgreSQL after a run that wrote so many requests (50,000)
 * and ended normally. Prints milliseconds, and the contents of the journal's folder.
 */
import { readdirSync, statSync } from 'node:fs'
import { openLeasedBooks } from '#billing/ledger/leased-books'
import { remoteBooks } from '#billing/ledger/remote-books'
import { systemClock as clock, systemRandom as random } from '#runtime/clock'
import { createLog } from '#runtime/log'
import { openWallets, postGrant } from '#store/ledger/ledger'
import { throwawayDatabase } from '#testing/database/database'
import { usageRow } from '#testing/usage-row'

const [rows = 50_000] = process.argv.slice(2).map(Number)
const atOnce = 500
const cost = 1_000n

async function main(): Promise<void> {
  const base = await throwawayDatabase('postgres')
  const { store } = base
  const folder = `${base.folder}/journal`
  async function open() {
    const begun = clock.monotonic()
    if (!store.worker) throw new Error('the store has no worker')
    const files = { folder, installation: 'bench', fsync: 'never', maxBytes: 256 * 1024 * 1024 } as const
    const terms = { coverMs: 60_000, writeOffMs: 86_400_000, settleWaits: false }
    const books = await openLeasedBooks({
      store,
      database: remoteBooks(store.worker),
      clock,
      random,
      log: createLog('silent'),
      ...files,
      ...terms,
    })
    return { books, ms: clock.monotonic() - begun }
  }
  try {
    await openWallets(store.db, ['w'])
    await postGrant(store.db, {
      walletId: 'w',
      amount: 10n ** 15n,
      ref: 'grant:w',
      kind: 'grant',
      actor: 'b',
      reason: 'r',
      at: new Date(0),
    })
    const first = await open()
    for (let done = 0; done < rows; done += atOnce) {
      await Promise.all(
        Array.from({ length: atOnce }, async (_, n) => {
          const row = usageRow({ requestId: `r${done + n}`, at: new Date(clock.now()), userId: 'w', keyId: 'k', cost })
          await first.books.hold(row.requestId, [{ id: 'w' }], 2n * cost)
          await first.books.settle(row)
        }),
      )
      // Otherwise the callers outpace the database until the journal is full.
      await first.books.flush()
    }
    await first.books.close()
    const files = readdirSync(folder).map((name) => statSync(`${folder}/${name}`).size)
    const second = await open()
    await second.books.close()
    const bytes = files.reduce((sum, size) => sum + size, 0)
    console.log(JSON.stringify({ rows, firstStart: first.ms, files: files.length, mebibytes: bytes / 2 ** 20, startAfter: second.ms }))
  } finally {
    await base.close()
  }
}

await main()
