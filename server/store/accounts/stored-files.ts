/** Rows of files that users upload, per tenant, and of the pieces of their content. */
import { and, count, desc, eq, gt, inArray, lte, sql } from 'drizzle-orm'
import { storedFilePieces, storedFiles } from '#db/files'
import type { Store } from '#store/engine/store'

/** A file without its content. */
export type FileRecord = typeof storedFiles.$inferSelect

/** Rows deleted per statement, so that a long sweep does not block others. */
const portion = 100

/** Inserts the row. Rejects with the driver's violation when the id exists, or the user does not. */
export async function insertFile({ db }: Store, row: FileRecord): Promise<void> {
  await db.insert(storedFiles).values(row)
}

/**
 * Adds a piece to an incomplete file: false when it is complete, gone, or has another number of pieces. `bytes`: size of the piece;
 * `until`: set for the last one, the expiry of the file.
 */
export async function addFilePiece(
  { db }: Store,
  piece: typeof storedFilePieces.$inferSelect,
  { bytes, until }: { bytes: number; until?: Date },
): Promise<boolean> {
  const { tenant, id, place } = piece
  return db.transaction(async (tx) => {
    const grown = await tx
      .update(storedFiles)
      .set({ bytes: sql`${storedFiles.bytes} + ${bytes}`, pieces: place + 1, ...(until && { isWhole: true, expiresAt: until }) })
      .where(and(ofTenant(tenant, id), eq(storedFiles.isWhole, false), eq(storedFiles.pieces, place)))
      .returning({ id: storedFiles.id })
    if (grown.length === 0) return false
    await tx.insert(storedFilePieces).values(piece)
    return true
  })
}

/** The tenant's file of this id, unless expired at `now`. */
export async function findFile({ db }: Store, tenant: string, id: string, now: Date): Promise<FileRecord | undefined> {
  const [row] = await db
    .select()
    .from(storedFiles)
    .where(and(ofTenant(tenant, id), gt(storedFiles.expiresAt, now)))
  return row
}

/** The tenant's complete files that have not expired at `now`, newest first. */
export const listFiles = ({ db }: Store, tenant: string, now: Date): Promise<FileRecord[]> =>
  db
    .select()
    .from(storedFiles)
    .where(and(eq(storedFiles.tenant, tenant), eq(storedFiles.isWhole, true), gt(storedFiles.expiresAt, now)))
    .orderBy(desc(storedFiles.createdAt), desc(storedFiles.id))

/** The piece at this position; undefined after the last. */
export async function findFilePiece({ db }: Store, tenant: string, id: string, place: number): Promise<string | undefined> {
  const [row] = await db
    .select({ sealed: storedFilePieces.sealed })
    .from(storedFilePieces)
    .where(and(eq(storedFilePieces.tenant, tenant), eq(storedFilePieces.id, id), eq(storedFilePieces.place, place)))
  return row?.sealed
}

/** How many files the tenant has at `now`, including uploads in progress, and their bytes. */
export async function sumFiles({ db }: Store, tenant: string, now: Date): Promise<{ count: number; bytes: number }> {
  const [sum] = await db
    .select({ count: count(), bytes: sql`coalesce(sum(${storedFiles.bytes}), 0)`.mapWith(Number) })
    .from(storedFiles)
    .where(and(eq(storedFiles.tenant, tenant), gt(storedFiles.expiresAt, now)))
  return sum ?? { count: 0, bytes: 0 }
}

/** Deletes the file; false when the tenant has none of this id, or it has expired at `now`. */
export async function deleteFile({ db }: Store, tenant: string, id: string, now: Date): Promise<boolean> {
  const gone = await db
    .delete(storedFiles)
    .where(and(ofTenant(tenant, id), gt(storedFiles.expiresAt, now)))
    .returning({ id: storedFiles.id })
  return gone.length > 0
}

/** Deletes what has expired at `now`; resolves to the number of files. */
export async function sweepFiles({ db }: Store, now: Date): Promise<number> {
  for (let gone = 0; ; ) {
    const late = await db.select({ id: storedFiles.id }).from(storedFiles).where(lte(storedFiles.expiresAt, now)).limit(portion)
    // Ids are random, so no two users share one.
    if (late.length > 0) {
      const ids = late.map(({ id }) => id)
      await db.delete(storedFiles).where(and(inArray(storedFiles.id, ids), lte(storedFiles.expiresAt, now)))
    }
    gone += late.length
    if (late.length < portion) return gone
  }
}

const ofTenant = (tenant: string, id: string) => and(eq(storedFiles.tenant, tenant), eq(storedFiles.id, id))
