/** What runs in the worker beside the database: lines in bytes become rows there. `remote-books.ts` calls it. */
import type { Work, WorkPlace } from '#store/engine/worker-calls'
import { booksCalls } from './books-database.ts'

/** The calls of the books on this database. */
export const work = (place: WorkPlace): Work => booksCalls(place)
