/** Rows of codes. A code is redeemed by one statement, which succeeds only once, in the transaction that grants its value. */
import { type AnyColumn, and, desc, eq, gt, inArray, isNotNull, isNull, lt, lte, or, type SQL, sql } from 'drizzle-orm'
import { codes } from '#db/selling'
import type { CodeRow } from '#shared/console/selling'
import { inLots } from '#store/engine/batches'
import type { Store } from '#store/engine/store'

/** A row. */
export type CodeRecord = typeof codes.$inferSelect

/** Filter and position of a list of codes. */
export interface CodesAsked {
  limit: number
  /** Where the previous page ended. */
  after?: { at: Date; id: string }
  batch?: string
  /** As of this time. */
  state?: { is: CodeRow['state']; now: Date }
  /** Part of the note, the hint, the batch or the id; or assigned to or redeemed by one of these users or teams. */
  words?: { text: string; ids: readonly string[] }
}

/** Inserts codes. */
export async function insertCodes({ db }: Store, rows: readonly CodeRecord[]): Promise<void> {
  await inLots(rows, (lot) => db.insert(codes).values(lot))
}

/** The codes with these ids. */
export const loadCodes = ({ db }: Store, ids: readonly string[]): Promise<CodeRecord[]> =>
  db
    .select()
    .from(codes)
    .where(inArray(codes.id, [...ids]))

/** Newest first; one row more than requested where there are more. */
export const pageCodes = ({ db }: Store, { limit, after, batch, state, words }: CodesAsked): Promise<CodeRecord[]> =>
  db
    .select()
    .from(codes)
    .where(
      and(
        batch === undefined ? undefined : eq(codes.batch, batch),
        state && isIn(state.is, state.now),
        words &&
          or(
            hasWords(words.text, codes.note, codes.hint, codes.batch, codes.id),
            ...(words.ids.length > 0 ? [codes.forUser, codes.redeemedBy, codes.walletId].map((id) => inArray(id, [...words.ids])) : []),
          ),
        after && or(lt(codes.createdAt, after.at), and(eq(codes.createdAt, after.at), lt(codes.id, after.id))),
      ),
    )
    .orderBy(desc(codes.createdAt), desc(codes.id))
    .limit(limit + 1)

/** Whether one of these columns contains the text, ignoring case. */
export const hasWords = (text: string, ...columns: readonly AnyColumn[]): SQL =>
  sql`position(lower(${text}) in lower(concat_ws(' ', ${sql.join([...columns], sql`, `)}))) > 0`

function isIn(state: CodeRow['state'], now: Date): SQL | undefined {
  if (state === 'redeemed') return isNotNull(codes.redeemedAt)
  if (state === 'revoked') return and(isNull(codes.redeemedAt), isNotNull(codes.revokedAt))
  const unused = and(isNull(codes.redeemedAt), isNull(codes.revokedAt))
  return and(unused, state === 'expired' ? lte(codes.expiresAt, now) : or(isNull(codes.expiresAt), gt(codes.expiresAt, now)))
}

/** Codes of a batch, or the one with this id, that can still be revoked. */
export const openCodesOf = ({ db }: Store, idOrBatch: string): Promise<CodeRecord[]> =>
  db
    .select()
    .from(codes)
    .where(and(or(eq(codes.id, idOrBatch), eq(codes.batch, idOrBatch)), isNull(codes.redeemedAt), isNull(codes.revokedAt)))

/** Whether a code or a batch has this id. */
export const isCodeOrBatch = async ({ db }: Store, idOrBatch: string): Promise<boolean> =>
  (await db.$count(codes, or(eq(codes.id, idOrBatch), eq(codes.batch, idOrBatch)))) > 0

/** Revokes those that are not redeemed; resolves to how many. */
export async function revokeCodes({ db }: Store, ids: readonly string[], at: Date): Promise<number> {
  const rows = await db
    .update(codes)
    .set({ revokedAt: at })
    .where(and(inArray(codes.id, [...ids]), isNull(codes.redeemedAt), isNull(codes.revokedAt)))
    .returning({ id: codes.id })
  return rows.length
}

/** The code with this digest, if there is one. */
export async function codeWithDigest({ db }: Store, digest: string): Promise<CodeRecord | undefined> {
  const [row] = await db.select().from(codes).where(eq(codes.digest, digest))
  return row
}

/** Marks the code as redeemed if it still can be; undefined otherwise. Only one of several concurrent calls succeeds, across instances. */
export async function takeCode(
  { db }: Store,
  id: string,
  by: { at: Date; userId: string; walletId: string },
): Promise<CodeRecord | undefined> {
  const [row] = await db
    .update(codes)
    .set({ redeemedAt: by.at, redeemedBy: by.userId, walletId: by.walletId })
    .where(
      and(
        eq(codes.id, id),
        isNull(codes.redeemedAt),
        isNull(codes.revokedAt),
        or(isNull(codes.expiresAt), gt(codes.expiresAt, sql`${by.at.toISOString()}::timestamptz`)),
      ),
    )
    .returning()
  return row
}
