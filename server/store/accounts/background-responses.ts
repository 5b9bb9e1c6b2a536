/** Rows of running background responses, per tenant. */
import { and, desc, eq, inArray, lt } from 'drizzle-orm'
import { backgroundResponses } from '#db/background'
import type { Store } from '#store/engine/store'

/** A row. */
export type BackgroundRecord = typeof backgroundResponses.$inferSelect

/** Rows per scan for abandoned ones. */
const portion = 100

/** Inserts the row. Rejects with the driver's violation when the id exists, or the user does not. */
export async function insertBackground({ db }: Store, row: BackgroundRecord): Promise<void> {
  await db.insert(backgroundResponses).values(row)
}

/** The tenant's running response of this id, if any. */
export async function findBackground({ db }: Store, tenant: string, id: string): Promise<BackgroundRecord | undefined> {
  const [row] = await db.select().from(backgroundResponses).where(ofTenant(tenant, id))
  return row
}

/** Which running responses to return: at most `most`, of one tenant, of one id. */
export interface OpenAsked {
  most: number
  tenant?: string | undefined
  id?: string
}

/** Running responses, newest first. */
export const openBackground = ({ db }: Store, { most, tenant, id }: OpenAsked): Promise<BackgroundRecord[]> =>
  db
    .select()
    .from(backgroundResponses)
    .where(
      and(
        tenant === undefined ? undefined : eq(backgroundResponses.tenant, tenant),
        id === undefined ? undefined : eq(backgroundResponses.id, id),
      ),
    )
    .orderBy(desc(backgroundResponses.createdAt), desc(backgroundResponses.id))
    .limit(most)

/** Heartbeat at `now` for these; resolves to the ids among them that are to be cancelled. */
export async function beatBackground({ db }: Store, ids: readonly string[], now: Date): Promise<string[]> {
  if (ids.length === 0) return []
  const { id, cancelled } = backgroundResponses
  const rows = await db
    .update(backgroundResponses)
    .set({ beatAt: now })
    .where(inArray(id, [...ids]))
    .returning({ id, cancelled })
  return rows.flatMap((row) => (row.cancelled ? [row.id] : []))
}

/** Asks the process that runs it to stop; undefined when none of this id is running. */
export async function cancelBackground({ db }: Store, tenant: string, id: string): Promise<BackgroundRecord | undefined> {
  const [row] = await db.update(backgroundResponses).set({ cancelled: true }).where(ofTenant(tenant, id)).returning()
  return row
}

/** Deletes the row; false when there was none. */
export async function deleteBackground({ db }: Store, tenant: string, id: string): Promise<boolean> {
  const gone = await db.delete(backgroundResponses).where(ofTenant(tenant, id)).returning({ id: backgroundResponses.id })
  return gone.length > 0
}

/** Some of the rows without a heartbeat since `before`. */
export const abandonedBackground = ({ db }: Store, before: Date): Promise<BackgroundRecord[]> =>
  db.select().from(backgroundResponses).where(lt(backgroundResponses.beatAt, before)).limit(portion)

const ofTenant = (tenant: string, id: string) => and(eq(backgroundResponses.tenant, tenant), eq(backgroundResponses.id, id))
