/**
 * Marks of journals that are home: the database has all of them, and their instance is closed. It closed after everything else, so as long
 * as the database knows that number of its last call it has lost nothing of it, and a start need not read the journal.
 */
import { exists, removeFolder } from '#runtime/folder'
import { readIfThere, writeSmall } from '#runtime/small-file'
import type { BooksDatabase } from './books-database.ts'

const markOf = (journal: string): string => `${journal}.home`

/** The journal in this folder is home. Call it when everything of it is written and its instance closed. */
export async function markHome(database: BooksDatabase, journal: string, instance: bigint): Promise<void> {
  const last = await database.lastCall(instance)
  if (last?.state === 'closed' && (await exists(journal))) await writeSmall(markOf(journal), `${last.seq}`)
}

/** Whether the database has all of the journal in this folder, as far as it was marked and has lost nothing since. */
export async function isHome(database: BooksDatabase, journal: string, instance: bigint): Promise<boolean> {
  const mark = await readIfThere(markOf(journal))
  if (mark === undefined || !/^\d+$/.test(mark)) return false
  const last = await database.lastCall(instance)
  return last?.state === 'closed' && last.seq >= BigInt(mark)
}

/** The mark of a journal that is gone. */
export const removeMark = (journal: string): Promise<void> => removeFolder(markOf(journal))
