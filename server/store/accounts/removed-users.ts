/**
 * Removed users and teams: their stored data is deleted with them. Their usage remains, but has only their ids; their names are in the
 * audit trail.
 */
import { and, eq, inArray } from 'drizzle-orm'
import { backgroundResponses } from '#db/background'
import { batches } from '#db/batches'
import { storedFiles } from '#db/files'
import { itemConversations } from '#db/kept-items'
import { storedResponses } from '#db/reasoning-state'
import { audit } from '#db/schema'
import type { Db, Store } from '#store/engine/store'

const removal = inArray(audit.action, ['user.remove', 'team.remove'])

/** The last known names of the removed ones of these users and teams, by id. */
export async function namesOfRemoved({ db }: Store, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const { target, targetName } = audit
  const rows = await db
    .select({ target, targetName })
    .from(audit)
    .where(and(removal, inArray(target, [...ids])))
  return new Map(rows.map((row) => [row.target, row.targetName]))
}

/** The ids of removed users, or teams, whose last known name was this. */
export async function removedNamed({ db }: Store, name: string, what: 'user' | 'team' = 'user'): Promise<string[]> {
  const rows = await db
    .select({ id: audit.target })
    .from(audit)
    .where(and(eq(audit.action, `${what}.remove`), eq(audit.targetName, name)))
  return rows.map(({ id }) => id)
}

/** Deletes the files, batches, conversations and responses stored for a user or team, with their content. */
export async function deleteStateOf(db: Db, tenant: string): Promise<void> {
  for (const table of [backgroundResponses, batches, storedFiles, itemConversations, storedResponses])
    await db.delete(table).where(eq(table.tenant, tenant))
}
