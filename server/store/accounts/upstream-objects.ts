/** Rows of objects that users created in upstreams' accounts. */
import { and, asc, desc, eq, gt, inArray, lt, or, sql } from 'drizzle-orm'
import { upstreamObjects } from '#db/upstream-objects'
import type { Store } from '#store/engine/store'

/** A row. */
export type ObjectRecord = typeof upstreamObjects.$inferSelect

/** Filter and position of a page. */
export interface ObjectBounds {
  api: string
  kind: string
  isOldestFirst: boolean
  /** The row before the first. */
  after?: Pick<ObjectRecord, 'id' | 'createdAt'>
  most: number
}

const at = (tenant: string, kind: string, id: string) =>
  and(eq(upstreamObjects.tenant, tenant), eq(upstreamObjects.kind, kind), eq(upstreamObjects.id, id))

/** Inserts the row, or updates the object's location. */
export async function writeObject({ db }: Store, row: ObjectRecord): Promise<void> {
  const { tenant, kind, id } = upstreamObjects
  await db
    .insert(upstreamObjects)
    .values(row)
    .onConflictDoUpdate({ target: [tenant, kind, id], set: { channel: sql`excluded.channel`, key: sql`excluded.key` } })
}

/** The tenant's rows with these ids, whatever their kind. */
export async function readObjects({ db }: Store, tenant: string, ids: readonly string[]): Promise<ObjectRecord[]> {
  if (ids.length === 0) return []
  return db
    .select()
    .from(upstreamObjects)
    .where(and(eq(upstreamObjects.tenant, tenant), inArray(upstreamObjects.id, [...ids])))
}

/** The tenant's copies of this file. */
export const readCopies = ({ db }: Store, tenant: string, file: string): Promise<ObjectRecord[]> =>
  db
    .select()
    .from(upstreamObjects)
    .where(and(eq(upstreamObjects.tenant, tenant), eq(upstreamObjects.copyOf, file)))

/** A page of the tenant's rows, by creation time. */
export function listObjects({ db }: Store, tenant: string, bounds: ObjectBounds): Promise<ObjectRecord[]> {
  const { api, kind, isOldestFirst, after, most } = bounds
  const beyond = isOldestFirst ? gt : lt
  const rest =
    after &&
    or(
      beyond(upstreamObjects.createdAt, after.createdAt),
      and(eq(upstreamObjects.createdAt, after.createdAt), beyond(upstreamObjects.id, after.id)),
    )
  const inOrder = isOldestFirst ? asc : desc
  return db
    .select()
    .from(upstreamObjects)
    .where(and(eq(upstreamObjects.tenant, tenant), eq(upstreamObjects.kind, kind), eq(upstreamObjects.api, api), rest))
    .orderBy(inOrder(upstreamObjects.createdAt), inOrder(upstreamObjects.id))
    .limit(most)
}

/** Deletes the row, if there is one. */
export async function deleteObject({ db }: Store, tenant: string, kind: string, id: string): Promise<void> {
  await db.delete(upstreamObjects).where(at(tenant, kind, id))
}
