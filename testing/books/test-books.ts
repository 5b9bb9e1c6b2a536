/** Leased books for tests: instances on one database, wallets, and the invariants, checked after every test. */
import { join } from 'node:path'
import { type LeasedBooks, type LeasedBooksOptions, openLeasedBooks } from '#billing/ledger/leased-books'
import { systemClock, systemRandom } from '#runtime/clock'
import { createLog } from '#runtime/log'
import { GatewayError } from '#shared/errors'
import { openStore } from '#store/engine/open'
import type { Store } from '#store/engine/store'
import { openWallets, postGrant, readWallets } from '#store/ledger/ledger'
import { type EngineName, type Throwaway, throwawayDatabase } from '#testing/database/database'
import { wrongBooks } from './invariants.ts'

/** The store to use instead of an address: the database's own. */
export const here = 'here'

/** A database on which a test opens instances. */
export interface Place {
  base: Throwaway
  /** The database's own store. */
  store: Store
  /** Opens another instance, with a store of its own where the engine allows it. */
  begin(more?: Partial<LeasedBooksOptions>, address?: string): Promise<LeasedBooks>
  /** Creates a wallet with this balance in nano-dollars; answers its id. */
  wallet(amount: bigint): Promise<string>
  /** Balance and open holds of a wallet, in nano-dollars. */
  money(id: string): Promise<[balance: bigint | undefined, held: bigint | undefined]>
  /** Closes all instances; answers the invariants that are broken then. */
  settled(): Promise<unknown[]>
  close(): Promise<void>
}

/** Opens a database without instances on this engine. */
export async function booksPlace(engine: EngineName): Promise<Place> {
  const base = await throwawayDatabase(engine)
  const undo: (() => Promise<unknown>)[] = []
  let [wallets, folders] = [0, 0]

  async function settled(): Promise<unknown[]> {
    for (const step of undo.splice(0).reverse()) await step()
    return wrongBooks(base.store)
  }

  return {
    base,
    store: base.store,
    async begin(more = {}, address = base.databaseUrl) {
      const folder = join(base.folder, `instance-${++folders}`)
      let store = base.store
      if (address !== undefined && address !== here) {
        const own = await openStore({ databaseUrl: address, dataFolder: folder, clock: systemClock, random: systemRandom })
        undo.push(() => own.close())
        store = own
      }
      const books = await openLeasedBooks({
        store,
        clock: systemClock,
        random: systemRandom,
        log: createLog('silent'),
        folder: `${folder}/journal`,
        installation: folder,
        fsync: 'never',
        maxBytes: 64 * 1024 * 1024,
        coverMs: 60_000,
        writeOffMs: 86_400_000,
        settleWaits: false,
        ...more,
      })
      undo.push(() => books.close())
      return books
    },
    async wallet(amount) {
      const id = `w${++wallets}`
      await openWallets(base.store.db, [id])
      const posting = { ref: `grant:${id}`, kind: 'grant', actor: 't', reason: 'r', at: new Date(0) } as const
      await postGrant(base.store.db, { walletId: id, amount, ...posting })
      return id
    },
    async money(id) {
      const found = (await readWallets(base.store.db, [id])).get(id)
      return [found?.balance, found?.held]
    },
    settled,
    close: () => settled().then(() => base.close()),
  }
}

/** `ok`, or the error code of the refusal. */
export async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work
    return 'ok'
  } catch (thrown) {
    return thrown instanceof GatewayError ? thrown.code : String(thrown)
  }
}
