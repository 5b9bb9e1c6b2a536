/** Opens the books of this instance with the program's settings. */
import { type LeasedBooks, openLeasedBooks } from '#billing/ledger/leased-books'
import { remoteBooks } from '#billing/ledger/remote-books'
import type { Clock, Random } from '#runtime/clock'
import type { Log } from '#runtime/log'
import { placeOf } from '#runtime/place'
import type { Store } from '#store/engine/store'
import type { Config } from './config.ts'

interface BooksParts {
  store: Store
  config: Config
  clock: Clock
  random: Random
  log: Log
  /** The id of this installation. */
  instance: string
  budgetOf: NonNullable<Parameters<typeof openLeasedBooks>[0]['budgetOf']>
}

/** Replays the journal (see `openLeasedBooks`); the database is called through a worker where the store has one. */
export const openBooks = async ({ store, config, clock, random, log, instance, budgetOf }: BooksParts): Promise<LeasedBooks> =>
  openLeasedBooks({
    ...{ store, clock, random, log, budgetOf },
    ...(store.worker && { database: remoteBooks(store.worker) }),
    folder: journalFolder(config),
    installation: instance,
    place: await placeOf(config.dataFolder),
    fsync: config.journalFsync,
    maxBytes: config.journalMaxBytes,
    coverMs: config.leaseCoverMs,
    writeOffMs: config.leaseWriteOffMs,
    settleWaits: false,
  })

/** Folder of the journal. */
export const journalFolder = ({ dataFolder }: Pick<Config, 'dataFolder'>): string => `${dataFolder}/journal`
