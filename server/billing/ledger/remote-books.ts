/** The database of the books behind a worker: its driver, what is composed for it and what is read of its answers cost this thread nothing. */
import { serverScript } from '#runtime/package-file'
import type { DatabaseWorker } from '#store/engine/database-worker'
import { type AskBooks, type BooksDatabase, booksBehind } from './books-database.ts'

const module = serverScript('billing/ledger/books-work')

/** The database that this worker has. Calls of unlimited time end with the worker at the latest. */
export const remoteBooks = (worker: DatabaseWorker): BooksDatabase =>
  // The worker answers what the function of that name does.
  booksBehind(((name, payload, how) => worker.call({ module, name, payload, ...how })) as AskBooks)
