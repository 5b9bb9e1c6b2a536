/**
 * Marks of completed journals: the database has all of their lines, and their instance is closed. Closing was its last call, so as long
 * as the database knows that call's number it has lost nothing of the journal, and a start need not read it.
 */
import { exists, removeFolder } from '#runtime/folder'
import { readIfThere, writeSmall } from '#runtime/small-file'
import type { BooksDatabase } from './books-database.ts'

const markOf = (journal: string): string => `${journal}.home`

/** Marks the journal in this folder as completed. Call it when all of it is in the database and its instance closed. */
export async function markCompleted(database: BooksDatabase, journal: string, instance: bigint): Promise<void> {
  const last = await database.lastCall(instance)
  if (last?.state === 'closed' && (await exists(journal))) await writeSmall(markOf(journal), `${last.seq}`)
}

/** Whether the journal in this folder is marked as completed and the database has lost nothing of it since. */
export async function isCompleted(database: BooksDatabase, journal: string, instance: bigint): Promise<boolean> {
  const mark = await readIfThere(markOf(journal))
  if (mark === undefined || !/^\d+$/.test(mark)) return false
  const last = await database.lastCall(instance)
  return last?.state === 'closed' && last.seq >= BigInt(mark)
}

/** Removes the mark of a deleted journal. */
export const removeMark = (journal: string): Promise<void> => removeFolder(markOf(journal))
