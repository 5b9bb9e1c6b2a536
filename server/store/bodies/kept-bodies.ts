/** Rows of kept bodies. */
import { and, desc, eq, inArray, lt, lte, type SQL, sql } from 'drizzle-orm'
import { keptBodies, users } from '#db/schema'
import { inLots } from '#store/engine/batches'
import type { Store } from '#store/engine/store'

/** A row. */
export type BodyRecord = typeof keptBodies.$inferSelect

/** Where a record lies. */
export type BodyPlace = Pick<BodyRecord, 'requestId' | 'segment' | 'offset' | 'length'>

/**
 * Inserts rows; those of users who are gone are left out. One statement with one argument, since every kept request costs this thread a row.
 * Rejects when one of the users goes at this moment: nothing is inserted then.
 */
export async function insertBodies({ db }: Store, rows: readonly BodyRecord[]): Promise<void> {
  if (rows.length === 0) return
  await db.execute(sql`
    insert into ${keptBodies} (request_id, at, user_id, key_id, instance, segment, "offset", length, sealed_key, redacted)
    select r."requestId", r.at, r."userId", r."keyId", r.instance, r.segment, r."offset", r.length, r."sealedKey", r.redacted
    from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) as r(
      "requestId" text, at timestamptz, "userId" text, "keyId" text, instance text, segment text, "offset" integer, length integer,
      "sealedKey" text, redacted boolean
    ) join ${users} on ${users.id} = r."userId"
    on conflict do nothing`)
}

/** The row of this request, if its body is kept. */
export async function findBody({ db }: Store, requestId: string): Promise<BodyRecord | undefined> {
  const [row] = await db.select().from(keptBodies).where(eq(keptBodies.requestId, requestId))
  return row
}

/** Those of these requests whose bodies are kept. */
export async function keptAmong({ db }: Store, requestIds: readonly string[]): Promise<Set<string>> {
  if (requestIds.length === 0) return new Set()
  const { requestId } = keptBodies
  const rows = await db
    .select({ requestId })
    .from(keptBodies)
    .where(inArray(requestId, [...requestIds]))
  return new Set(rows.map((row) => row.requestId))
}

/** Whose bodies are deleted. */
export type WhoseBodies = { requestId: string } | { keyId: string } | { userId: string }

/** Deletes the rows of requests until `until`, and with them the only keys of their records; resolves with how many. */
export async function deleteBodies({ db }: Store, whose: WhoseBodies, until: Date): Promise<number> {
  const of =
    'requestId' in whose
      ? eq(keptBodies.requestId, whose.requestId)
      : 'keyId' in whose
        ? eq(keptBodies.keyId, whose.keyId)
        : eq(keptBodies.userId, whose.userId)
  const gone = await db
    .delete(keptBodies)
    .where(and(of, lte(keptBodies.at, until)))
    .returning({ requestId: keptBodies.requestId })
  return gone.length
}

/** Deletes the rows of an instance in segments whose names come before `segment`; resolves with how many. */
export async function deleteBodiesBefore({ db }: Store, instance: string, segment: string): Promise<number> {
  const gone = await db
    .delete(keptBodies)
    .where(and(ofInstance(instance), lt(keptBodies.segment, segment)))
    .returning({ requestId: keptBodies.requestId })
  return gone.length
}

/** Bytes and number of the records that are there, by segment. */
export async function sumSegments({ db }: Store, instance: string): Promise<Map<string, { bytes: number; count: number }>> {
  const rows = await db
    .select({
      segment: keptBodies.segment,
      bytes: sql`sum(${keptBodies.length})`.mapWith(Number),
      count: sql`count(*)`.mapWith(Number),
    })
    .from(keptBodies)
    .where(ofInstance(instance))
    .groupBy(keptBodies.segment)
  return new Map(rows.map(({ segment, ...sums }) => [segment, sums]))
}

/** The records of a segment, in their order. */
export async function bodiesIn({ db }: Store, instance: string, segment: string): Promise<BodyPlace[]> {
  const { requestId, offset, length } = keptBodies
  return db
    .select({ requestId, segment: keptBodies.segment, offset, length })
    .from(keptBodies)
    .where(and(ofInstance(instance), eq(keptBodies.segment, segment)))
    .orderBy(offset)
}

/** Points the rows of a segment to where their records lie now; those that were deleted meanwhile stay deleted. */
export async function moveBodies({ db }: Store, instance: string, from: string, places: readonly BodyPlace[]): Promise<void> {
  await db.transaction(async (tx) => {
    await inLots(places, async (lot) => {
      const values = lot.map(({ requestId, segment, offset }) => sql`(${requestId}::text, ${segment}::text, ${offset}::integer)`)
      await tx.execute(sql`
        update ${keptBodies} set segment = place.segment, "offset" = place.beginning
        from (values ${sql.join(values, sql`, `)}) as place(id, segment, beginning)
        where ${keptBodies.requestId} = place.id and ${keptBodies.instance} = ${instance} and ${keptBodies.segment} = ${from}`)
    })
  })
}

/** Requests whose bodies are kept, newest first. */
export interface KeptQuestion {
  limit: number
  since: Date
  userId?: string
  keyId?: string
}

/** Their ids. */
export async function listBodies({ db }: Store, { limit, since, userId, keyId }: KeptQuestion): Promise<string[]> {
  const rows = await db
    .select({ requestId: keptBodies.requestId })
    .from(keptBodies)
    .where(
      and(
        sql`${keptBodies.at} >= ${sql.param(since, keptBodies.at)}`,
        userId === undefined ? undefined : eq(keptBodies.userId, userId),
        keyId === undefined ? undefined : eq(keptBodies.keyId, keyId),
      ),
    )
    .orderBy(desc(keptBodies.at), desc(keptBodies.requestId))
    .limit(limit)
  return rows.map(({ requestId }) => requestId)
}

const ofInstance = (instance: string): SQL => eq(keptBodies.instance, instance)
