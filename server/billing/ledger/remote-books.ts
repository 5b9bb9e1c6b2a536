/** The database of the books behind a worker: its driver, composing calls and parsing answers cost this thread nothing. */
import { serverScript } from '#runtime/package-file'
import type { DatabaseWorker } from '#store/engine/database-worker'
import { type AskBooks, type BooksDatabase, booksBehind } from './books-database.ts'

const module = serverScript('billing/ledger/books-work')

/** The worker's database. Calls without a time limit end with the worker at the latest. */
export const remoteBooks = (worker: DatabaseWorker): BooksDatabase =>
  // The worker returns what the function of that name returns.
  booksBehind(((name, payload, how) => worker.call({ module, name, payload, ...how })) as AskBooks)
