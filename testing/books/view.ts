/** Reads the books of a running program from outside, for tests that know it only by its database address. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock as clock, systemRandom as random } from '#runtime/clock'
import { openStore } from '#store/engine/open'
import { missingInstances } from '#store/ledger/instances'
import { chargesIn, leasedOf, wrongBooks } from './invariants.ts'

/** Read access to the books. */
export interface BooksView {
  /** Every account and request that breaks an invariant. */
  wrong(): Promise<unknown[]>
  /** Nano-dollars charged, by request id. */
  charges(): Promise<Map<string, bigint>>
  /** The nano-dollars of an account that all instances have on lease. */
  leased(account: string): Promise<bigint>
  /** Number of instances that have not been closed. */
  live(): Promise<number>
  close(): Promise<void>
}

/** Connects to the database at this address; rejects if it does not answer. */
export async function openBooksView(databaseUrl: string): Promise<BooksView> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-test-'))
  const store = await openStore({ databaseUrl, dataFolder: folder, clock, random })
  return {
    wrong: () => wrongBooks(store),
    charges: () => chargesIn(store),
    leased: (account) => leasedOf(store, account),
    live: async () => (await missingInstances(store, 0)).length,
    close: () => store.close().finally(() => rm(folder, { recursive: true, force: true })),
  }
}
