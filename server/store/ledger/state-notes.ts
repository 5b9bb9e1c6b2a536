/** What requests left behind in upstreams' accounts, written with their usage rows. */
import { sql } from 'drizzle-orm'
import { recollections } from '#db/schema'
import { inLots } from '#store/engine/batches'
import type { Store } from '#store/engine/store'
import type { BookLine } from './book-line.ts'

type Note = typeof recollections.$inferInsert

/**
 * Writes the notes of these lines. Of one key the note that lasts longest stays, so that a line that comes twice, or late, takes back
 * nothing that was noted since.
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
  // In one order, so that instances which note the same never wait for each other in a circle.
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
