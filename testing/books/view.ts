/** The books of a running program, looked at from outside: for tests that know the program by its address only. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock as clock, systemRandom as random } from '#runtime/clock'
import { openStore } from '#store/engine/open'
import { missingInstances } from '#store/ledger/instances'
import { chargesIn, leasedOf, wrongBooks } from './invariants.ts'

export interface BooksView {
  /** Every account and request that breaks a rule. */
  wrong(): Promise<unknown[]>
  /** By request. */
  charges(): Promise<Map<string, bigint>>
  /** What instances have on lease of an account. */
  leased(account: string): Promise<bigint>
  /** How many instances have not been closed. */
  live(): Promise<number>
  close(): Promise<void>
}

/** Connects to the database at this address; rejects when it does not answer. */
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
