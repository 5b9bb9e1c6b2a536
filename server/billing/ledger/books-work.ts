/** Runs in the worker beside the database: decodes lines into rows. Called by `remote-books.ts`. */
import type { Work, WorkPlace } from '#store/engine/worker-calls'
import { booksCalls } from './books-database.ts'

/** The calls of the books on this database. */
export const work = (place: WorkPlace): Work => booksCalls(place)
