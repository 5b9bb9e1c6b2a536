/** The restore drill of `parley db drill`: restores a backup into a temporary database, checks it, and removes that database. */
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Config } from '#app/config'
import { aboutMasterKey } from '#app/master-key'
import { checkBooks } from '#billing/ledger/books-check'
import { systemClock as clock } from '#runtime/clock'
import { makeFolder, removeFolder } from '#runtime/folder'
import type { BooksReport } from '#shared/console/books'
import { openBackup } from '#store/schema-moves/backup'
import { load } from '#store/schema-moves/load'
import { placeOf, withDatabase, withEmpty } from '#store/schema-moves/location'

/** What a drill has found. */
export interface Drill {
  /** When the backup was made, RFC 3339. */
  at: string
  tables: number
  rows: number
  restoreMs: number
  books: BooksReport
  /** The check of the local master key. */
  masterKey: { fits?: boolean | undefined; line: string }
}

/** Restores the file into a new embedded database and checks its books. Throws Errors of one line where it cannot be restored. */
export async function drill(file: string, { dataFolder, masterKey }: Pick<Config, 'dataFolder' | 'masterKey'>): Promise<Drill> {
  const backup = await openBackup(file)
  const folder = await makeFolder(join(tmpdir(), 'parley-drill-'))
  const place = placeOf(join(folder, 'data'))
  try {
    const from = clock.monotonic()
    await withEmpty(place, false, (tx) => load(tx, backup, () => {}))
    const restoreMs = clock.monotonic() - from
    return await withDatabase(place, async (db) => ({
      at: backup.at,
      tables: backup.tables.length,
      rows: backup.tables.reduce((sum, { rows }) => sum + rows, 0),
      restoreMs,
      books: await checkBooks({ store: { db, engine: 'embedded' }, journals: [], now: clock.now(), isPatient: true }),
      masterKey: await aboutMasterKey(db, dataFolder, masterKey),
    }))
  } finally {
    await removeFolder(folder)
  }
}
