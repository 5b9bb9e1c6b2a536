/** State that requests left in upstreams' accounts, written with their usage rows. */
import { sql } from 'drizzle-orm'
import { recollections } from '#db/schema'
import { inLots } from '#store/engine/batches'
import type { Store } from '#store/engine/store'
import type { BookLine } from './book-line.ts'

type Note = typeof recollections.$inferInsert

/**
 * Writes the notes of these lines. Per key the note with the latest expiry wins, so that a repeated or late line does not undo
 * newer notes.
 */
export async function writeNotes({ db }: Pick<Store, 'db'>, lines: readonly Pick<BookLine, 'row'>[]): Promise<void> {
  const latest = new Map<string, Note>()
  for (const { row } of lines) {
    for (const { key, sealed, expiresAt } of row.notes ?? []) {
      const name = `${row.userId} ${key}`
      const known = latest.get(name)
      if (known && known.expiresAt.getTime() >= expiresAt) continue
      latest.set(name, { tenant: row.userId, key, sealed, expiresAt: new Date(expiresAt) })
    }
  }
  // In one order, so that instances writing the same keys never deadlock.
  const notes = [...latest].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, note]) => note)
  await inLots(notes, (lot) =>
    db
      .insert(recollections)
      .values(lot)
      .onConflictDoUpdate({
        target: [recollections.tenant, recollections.key],
        set: { sealed: sql`excluded.sealed`, expiresAt: sql`excluded.expires_at` },
        setWhere: sql`excluded.expires_at > ${recollections.expiresAt}`,
      }),
  )
}
