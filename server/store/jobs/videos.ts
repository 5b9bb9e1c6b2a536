/** Rows of videos that upstreams make. */
import { and, asc, desc, eq, gt, inArray, isNotNull, isNull, lt, lte, or, type SQL, sql } from 'drizzle-orm'
import { videos } from '#db/videos'
import type { Store } from '#store/engine/store'
import { isDoneBy } from './jobs.ts'

/** A row. */
export type VideoRecord = typeof videos.$inferSelect

/** Inserts the row. Rejects with the driver's violation when the user does not exist. */
export async function insertVideo({ db }: Store, row: typeof videos.$inferInsert): Promise<void> {
  await db.insert(videos).values(row)
}

/** The video of this id, of the tenant if one is named, unless it has expired at `now`. */
export async function findVideo({ db }: Store, id: string, now: Date, tenant?: string): Promise<VideoRecord | undefined> {
  const [row] = await db
    .select()
    .from(videos)
    .where(and(eq(videos.id, id), gt(videos.expiresAt, now), ofTenant(tenant)))
  return row
}

/** Which videos are listed. */
export interface VideoBounds {
  /** Absent: everybody's. */
  tenant?: string
  /** The one before the first, in this order. */
  after?: Pick<VideoRecord, 'createdAt' | 'id'>
  isOldestFirst?: boolean
  most: number
  now: Date
}

/** Videos, newest first. */
export function listVideos({ db }: Store, { tenant, after, isOldestFirst, most, now }: VideoBounds): Promise<VideoRecord[]> {
  const way = isOldestFirst ? gt : lt
  const behind = after && or(way(videos.createdAt, after.createdAt), and(eq(videos.createdAt, after.createdAt), way(videos.id, after.id)))
  const order = isOldestFirst ? asc : desc
  return db
    .select()
    .from(videos)
    .where(and(ofTenant(tenant), behind, gt(videos.expiresAt, now)))
    .orderBy(order(videos.createdAt), order(videos.id))
    .limit(most)
}

/** How many videos of the tenant have not ended. */
export async function openVideosOf({ db }: Store, tenant: string): Promise<number> {
  const [row] = await db
    .select({ open: sql`count(*)`.mapWith(Number) })
    .from(videos)
    .where(and(eq(videos.tenant, tenant), isNull(videos.endedAt)))
  return row?.open ?? 0
}

/** How far it is, unless it has ended. */
export async function moveVideo({ db }: Store, id: string, facts: Pick<VideoRecord, 'state' | 'progress' | 'sealed'>): Promise<void> {
  await db
    .update(videos)
    .set(facts)
    .where(and(eq(videos.id, id), isNull(videos.endedAt)))
}

/** It has ended, once: false when it had already, or when the runner no longer does its job. */
export async function endVideo(
  store: Store,
  id: string,
  runner: string,
  facts: Pick<VideoRecord, 'state' | 'progress' | 'sealed'> & { endedAt: Date },
): Promise<boolean> {
  const ended = await store.db
    .update(videos)
    .set(facts)
    .where(and(eq(videos.id, id), isNull(videos.endedAt), isDoneBy(store, id, runner)))
    .returning({ id: videos.id })
  return ended.length > 0
}

/** Deletes a video of the tenant that has ended; false when there is none. */
export async function deleteVideo({ db }: Store, id: string, tenant: string): Promise<boolean> {
  const gone = await db
    .delete(videos)
    .where(and(eq(videos.id, id), eq(videos.tenant, tenant), isNotNull(videos.endedAt)))
    .returning({ id: videos.id })
  return gone.length > 0
}

/** Deletes what has expired at `now` and has ended; resolves to the number of videos. */
export async function sweepVideos({ db }: Store, now: Date): Promise<number> {
  const late = db
    .select({ id: videos.id })
    .from(videos)
    .where(and(lte(videos.expiresAt, now), isNotNull(videos.endedAt)))
    .limit(1000)
  const gone = await db.delete(videos).where(inArray(videos.id, late)).returning({ id: videos.id })
  return gone.length
}

const ofTenant = (tenant: string | undefined): SQL | undefined => (tenant === undefined ? undefined : eq(videos.tenant, tenant))
