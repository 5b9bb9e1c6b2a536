/** Rows of batches, of the requests in them, and of the pieces of requests and answers. */
import { and, asc, desc, eq, gt, inArray, lt, lte, or, type SQL, sql } from 'drizzle-orm'
import { batches, batchLines, batchPieces } from '#db/batches'
import { jobs } from '#db/jobs'
import type { BatchEnd } from '#shared/batch'
import { inLots } from '#store/engine/batches'
import type { Store } from '#store/engine/store'

/** A batch without its requests. */
export type BatchRecord = typeof batches.$inferSelect

/** A piece of a request (side 0) or of its answer (side 1). */
export type BatchPiece = typeof batchPieces.$inferSelect

/** Rows deleted per statement, so that a long sweep does not block others. */
const portion = 20

/** Inserts the batch. Rejects with the driver's violation when the user does not exist. */
export async function insertBatch({ db }: Store, row: typeof batches.$inferInsert): Promise<void> {
  await db.insert(batches).values(row)
}

/** All of its requests are inserted: it may run from now on. Undefined when it is gone. */
export async function beginBatch(
  { db }: Store,
  id: string,
  facts: Pick<BatchRecord, 'endsAt' | 'expiresAt' | 'total' | 'bytes' | 'sealed'>,
): Promise<BatchRecord | undefined> {
  const [row] = await db.update(batches).set(facts).where(eq(batches.id, id)).returning()
  return row
}

/** Adds requests in order, from this position on, with their bodies. */
export async function insertLines({ db }: Store, batch: string, from: number, many: number, pieces: readonly BatchPiece[]): Promise<void> {
  const rows = Array.from({ length: many }, (_, index) => ({ batch, place: from + index, state: 'waiting' }))
  await inLots(rows, (lot) => db.insert(batchLines).values(lot))
  await inLots(pieces, (lot) => db.insert(batchPieces).values(lot))
}

/** The batch of this id, of the tenant if one is named, unless it has expired at `now`. */
export async function findBatch({ db }: Store, id: string, now: Date, tenant?: string): Promise<BatchRecord | undefined> {
  const [row] = await db
    .select()
    .from(batches)
    .where(and(eq(batches.id, id), gt(batches.expiresAt, now), ofTenant(tenant)))
  return row
}

/** Filter and position of a list of batches. */
export interface BatchBounds {
  /** Absent: all tenants'. */
  tenant?: string
  envelope?: string
  /** The batch before the first, in this order. */
  after?: Pick<BatchRecord, 'createdAt' | 'id'>
  isOldestFirst?: boolean
  most: number
  now: Date
}

/** Batches, newest first. */
export function listBatches({ db }: Store, { tenant, envelope, after, isOldestFirst, most, now }: BatchBounds): Promise<BatchRecord[]> {
  const way = isOldestFirst ? gt : lt
  const behind =
    after && or(way(batches.createdAt, after.createdAt), and(eq(batches.createdAt, after.createdAt), way(batches.id, after.id)))
  const words = envelope === undefined ? undefined : eq(batches.envelope, envelope)
  const order = isOldestFirst ? asc : desc
  return db
    .select()
    .from(batches)
    .where(and(ofTenant(tenant), words, behind, gt(batches.expiresAt, now), gt(batches.total, 0)))
    .orderBy(order(batches.createdAt), order(batches.id))
    .limit(most)
}

/** How many batches of the tenant have not ended, and the bytes of all of them. */
export async function sumBatches({ db }: Store, tenant: string, now: Date): Promise<{ open: number; bytes: number }> {
  const [sum] = await db
    .select({
      open: sql`count(*) filter (where ${batches.endedAt} is null)`.mapWith(Number),
      bytes: sql`coalesce(sum(${batches.bytes}), 0)`.mapWith(Number),
    })
    .from(batches)
    .where(and(eq(batches.tenant, tenant), gt(batches.expiresAt, now)))
  return sum ?? { open: 0, bytes: 0 }
}

/** Records when its cancellation was requested; the first time counts. */
export async function cancelBatch({ db }: Store, id: string, now: Date): Promise<BatchRecord | undefined> {
  const [row] = await db
    .update(batches)
    .set({ cancelledAt: sql`coalesce(${batches.cancelledAt}, ${sql.param(now, batches.cancelledAt)})` })
    .where(eq(batches.id, id))
    .returning()
  return row
}

/** Waiting requests, from this position on, in order. */
export const waitingLines = ({ db }: Store, batch: string, from: number, most: number): Promise<{ place: number }[]> =>
  db
    .select({ place: batchLines.place })
    .from(batchLines)
    .where(and(eq(batchLines.batch, batch), eq(batchLines.state, 'waiting'), sql`${batchLines.place} >= ${from}`))
    .orderBy(asc(batchLines.place))
    .limit(most)

/** A piece; undefined after the last. */
export async function findBatchPiece({ db }: Store, { batch, place, side, piece }: Omit<BatchPiece, 'sealed'>) {
  const [row] = await db
    .select({ sealed: batchPieces.sealed })
    .from(batchPieces)
    .where(and(eq(batchPieces.batch, batch), eq(batchPieces.place, place), eq(batchPieces.side, side), eq(batchPieces.piece, piece)))
  return row?.sealed
}

/** An answer to a request of a batch. */
export interface LineAnswer {
  batch: string
  place: number
  state: Extract<BatchEnd, 'succeeded' | 'failed'>
  requestId: string
  pieces: readonly BatchPiece[]
}

/** Writes the answer, once: false when there is one, or when the runner no longer owns the batch. */
export async function answerLine({ db }: Store, { batch, place, state, requestId, pieces }: LineAnswer, runner: string): Promise<boolean> {
  return db.transaction(async (tx) => {
    const mine = tx
      .select({ id: jobs.id })
      .from(jobs)
      .where(and(eq(jobs.id, batch), eq(jobs.runner, runner)))
    const ended = await tx
      .update(batchLines)
      .set({ state, requestId })
      .where(and(lineOf(batch, place), eq(batchLines.state, 'waiting'), sql`exists ${mine}`))
      .returning({ place: batchLines.place })
    if (ended.length === 0) return false
    const sum = batches[state]
    await tx
      .update(batches)
      .set({ [state]: sql`${sum} + 1` })
      .where(eq(batches.id, batch))
    for (const piece of pieces) await tx.insert(batchPieces).values(piece)
    return true
  })
}

/** Ends every waiting request with this state. */
export async function endWaiting({ db }: Store, batch: string, state: 'cancelled' | 'expired'): Promise<void> {
  await db.transaction(async (tx) => {
    const ended = await tx
      .update(batchLines)
      .set({ state })
      .where(and(eq(batchLines.batch, batch), eq(batchLines.state, 'waiting')))
      .returning({ place: batchLines.place })
    if (ended.length > 0)
      await tx
        .update(batches)
        .set({ [state]: sql`${batches[state]} + ${ended.length}` })
        .where(eq(batches.id, batch))
  })
}

/** The batch has ended. `isEmptied`: its requests and answers are stored elsewhere now. */
export async function endBatch(
  { db }: Store,
  id: string,
  { endedAt, sealed, isEmptied }: Pick<BatchRecord, 'sealed'> & { endedAt: Date; isEmptied: boolean },
): Promise<void> {
  await db.transaction(async (tx) => {
    if (isEmptied) await tx.delete(batchPieces).where(eq(batchPieces.batch, id))
    await tx
      .update(batches)
      .set({ endedAt, sealed, ...(isEmptied && { bytes: 0 }) })
      .where(eq(batches.id, id))
  })
}

/** Requests and how they ended, from this position on, in order. */
export const linesFrom = ({ db }: Store, batch: string, from: number, most: number) =>
  db
    .select({ place: batchLines.place, state: batchLines.state, requestId: batchLines.requestId })
    .from(batchLines)
    .where(and(eq(batchLines.batch, batch), sql`${batchLines.place} >= ${from}`))
    .orderBy(asc(batchLines.place))
    .limit(most)

/** Deletes the batch with everything in it. */
export async function deleteBatch({ db }: Store, id: string): Promise<void> {
  await db.delete(batches).where(eq(batches.id, id))
}

/** Deletes what has expired at `now`; resolves to the number of batches. */
export async function sweepBatches({ db }: Store, now: Date): Promise<number> {
  for (let gone = 0; ; ) {
    const late = await db.select({ id: batches.id }).from(batches).where(lte(batches.expiresAt, now)).limit(portion)
    const ids = late.map(({ id }) => id)
    if (ids.length > 0) await db.delete(batches).where(inArray(batches.id, ids))
    gone += ids.length
    if (ids.length < portion) return gone
  }
}

const ofTenant = (tenant: string | undefined): SQL | undefined => (tenant === undefined ? undefined : eq(batches.tenant, tenant))
const lineOf = (batch: string, place: number) => and(eq(batchLines.batch, batch), eq(batchLines.place, place))
