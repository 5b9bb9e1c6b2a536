/** Rows of work that upstreams finish long after the request. */
import { and, asc, desc, eq, gt, inArray, isNotNull, isNull, lt, lte, or, sql } from 'drizzle-orm'
import { interactions, videos } from '#db/upstream-work'
import type { Store } from '#store/engine/store'
import { isDoneBy } from './jobs.ts'

/** A row. */
export type WorkRecord = typeof videos.$inferSelect

/** Columns that change while the work runs. */
export type WorkColumns = Pick<WorkRecord, 'state' | 'progress' | 'sealed'>

/** Filter and position of a list. */
export interface WorkBounds {
  /** Absent: all tenants'. */
  tenant?: string
  /** The one before the first, in this order. */
  after?: Pick<WorkRecord, 'createdAt' | 'id'>
  isOldestFirst?: boolean
  most: number
  now: Date
  /** Only those that have not ended. */
  isOpen?: boolean
}

/** The rows of one table. */
export interface WorkRows {
  /** Rejects with the driver's violation when the user does not exist. */
  insert(store: Store, row: WorkRecord): Promise<void>
  /** The one of this id, of the tenant if one is named, unless it has expired at `now`. */
  find(store: Store, id: string, now: Date, tenant?: string): Promise<WorkRecord | undefined>
  /** Newest first. */
  list(store: Store, bounds: WorkBounds): Promise<WorkRecord[]>
  /** How many of the tenant have not ended. */
  countOpen(store: Store, tenant: string): Promise<number>
  /** Updates its progress, unless it has ended. */
  move(store: Store, id: string, columns: WorkColumns): Promise<void>
  /** Ends it, once: false when it already had ended, or when the runner no longer owns its job. */
  end(store: Store, id: string, runner: string, columns: WorkColumns & { endedAt: Date }): Promise<boolean>
  /** Deletes one of the tenant that has ended; false when there is none. */
  remove(store: Store, id: string, tenant: string): Promise<boolean>
  /** Deletes what has expired at `now` and has ended; resolves to their number. */
  sweep(store: Store, now: Date): Promise<number>
}

function rowsOf(table: typeof videos): WorkRows {
  const ofTenant = (tenant: string | undefined) => (tenant === undefined ? undefined : eq(table.tenant, tenant))
  return {
    async insert({ db }, row) {
      await db.insert(table).values(row)
    },
    async find({ db }, id, now, tenant) {
      const [row] = await db
        .select()
        .from(table)
        .where(and(eq(table.id, id), gt(table.expiresAt, now), ofTenant(tenant)))
      return row
    },
    list({ db }, { tenant, after, isOldestFirst, isOpen, most, now }) {
      const way = isOldestFirst ? gt : lt
      const behind = after && or(way(table.createdAt, after.createdAt), and(eq(table.createdAt, after.createdAt), way(table.id, after.id)))
      const order = isOldestFirst ? asc : desc
      return db
        .select()
        .from(table)
        .where(and(ofTenant(tenant), behind, gt(table.expiresAt, now), isOpen ? isNull(table.endedAt) : undefined))
        .orderBy(order(table.createdAt), order(table.id))
        .limit(most)
    },
    async countOpen({ db }, tenant) {
      const [row] = await db
        .select({ open: sql`count(*)`.mapWith(Number) })
        .from(table)
        .where(and(eq(table.tenant, tenant), isNull(table.endedAt)))
      return row?.open ?? 0
    },
    async move({ db }, id, columns) {
      await db
        .update(table)
        .set(columns)
        .where(and(eq(table.id, id), isNull(table.endedAt)))
    },
    async end(store, id, runner, columns) {
      const ended = await store.db
        .update(table)
        .set(columns)
        .where(and(eq(table.id, id), isNull(table.endedAt), isDoneBy(store, id, runner)))
        .returning({ id: table.id })
      return ended.length > 0
    },
    async remove({ db }, id, tenant) {
      const gone = await db
        .delete(table)
        .where(and(eq(table.id, id), eq(table.tenant, tenant), isNotNull(table.endedAt)))
        .returning({ id: table.id })
      return gone.length > 0
    },
    async sweep({ db }, now) {
      const late = db
        .select({ id: table.id })
        .from(table)
        .where(and(lte(table.expiresAt, now), isNotNull(table.endedAt)))
        .limit(1000)
      const gone = await db.delete(table).where(inArray(table.id, late)).returning({ id: table.id })
      return gone.length
    },
  }
}

/** Videos. */
export const videoRows = rowsOf(videos)
/** Interactions in the background. */
export const interactionRows = rowsOf(interactions)
