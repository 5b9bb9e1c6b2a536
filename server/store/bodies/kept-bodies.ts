/** Rows of kept bodies. */
import { and, eq, inArray, lt, lte, type SQL, sql } from 'drizzle-orm'
import { instances, keptBodies, replayItems, teams, users } from '#db/schema'
import { inLots } from '#store/engine/batches'
import { returned } from '#store/engine/rows'
import type { Db, Store } from '#store/engine/store'

/** A row. */
export type BodyRecord = typeof keptBodies.$inferSelect

/** Location of a record. */
export type BodyPlace = Pick<BodyRecord, 'requestId' | 'segment' | 'offset' | 'length'>

/**
 * Inserts rows, each JSON of a `BodyRecord`; those of deleted users and teams are skipped, and none is deleted during the insert. One
 * statement with one argument, since every kept request costs this thread a row.
 */
export async function insertBodies({ db }: Store, rows: readonly string[]): Promise<void> {
  if (rows.length === 0) return
  await db.execute(sql`
    with r as (
      select * from jsonb_to_recordset(${`[${rows.join(',')}]`}::text::jsonb) as r(
        "requestId" text, at timestamptz, "userId" text, "memberId" text, "keyId" text, instance text, segment text, "offset" integer,
        length integer, "sealedKey" text, redacted boolean
      )
    ),
    owners as (select id from ${users} where id in (select "userId" from r) for key share),
    payers as (select id from ${teams} where id in (select "userId" from r) for key share)
    insert into ${keptBodies} (request_id, at, user_id, member_id, key_id, instance, segment, "offset", length, sealed_key, redacted)
    select r."requestId", r.at, r."userId", r."memberId", r."keyId", r.instance, r.segment, r."offset", r.length, r."sealedKey", r.redacted
    from r where r."userId" in (select id from owners) or r."userId" in (select id from payers)
    on conflict do nothing`)
}

/** The row of this request, if its body is stored. */
export async function findBody({ db }: Store, requestId: string): Promise<BodyRecord | undefined> {
  const [row] = await db.select().from(keptBodies).where(eq(keptBodies.requestId, requestId))
  return row
}

/** The rows of these requests, where their bodies are stored. */
export async function findBodies({ db }: Store, requestIds: readonly string[]): Promise<BodyRecord[]> {
  if (requestIds.length === 0) return []
  return db
    .select()
    .from(keptBodies)
    .where(inArray(keptBodies.requestId, [...requestIds]))
}

/** Those of these requests whose bodies are stored. */
export async function keptAmong({ db }: Store, requestIds: readonly string[]): Promise<Set<string>> {
  if (requestIds.length === 0) return new Set()
  const { requestId } = keptBodies
  const rows = await db
    .select({ requestId })
    .from(keptBodies)
    .where(inArray(requestId, [...requestIds]))
  return new Set(rows.map((row) => row.requestId))
}

/** Which bodies to delete. */
export type WhoseBodies = { requestId: string } | { keyId: string } | { userId: string } | { everybody: true }

/** Deletes the rows of requests until `until`, with their replays, and thereby the only keys to their records; resolves to how many. */
export async function deleteBodies({ db }: Store, whose: WhoseBodies, until: Date): Promise<number> {
  const gone = await db
    .delete(keptBodies)
    .where(and(conditionOf(whose), lte(keptBodies.at, until)))
    .returning({ requestId: keptBodies.requestId })
  return gone.length
}

function conditionOf(whose: WhoseBodies): SQL | undefined {
  if ('requestId' in whose) return withReplays(whose.requestId)
  if ('keyId' in whose) return eq(keptBodies.keyId, whose.keyId)
  return 'userId' in whose ? ofPerson(whose.userId) : undefined
}

/** Requests that this user or team paid for, and those that this user sent for a team. */
const ofPerson = (userId: string): SQL => sql`(${keptBodies.userId} = ${userId} or split_part(${keptBodies.memberId}, '.', 2) = ${userId})`

/** Deletes the rows of a user or team that is being removed, in the transaction of the caller. */
export async function deleteBodiesOf(db: Db, id: string): Promise<void> {
  await db.delete(keptBodies).where(ofPerson(id))
}

/** This request, its replays, and their replays. */
const withReplays = (requestId: string): SQL => sql`${keptBodies.requestId} in (
  with recursive copies(id) as (
    select ${requestId}::text
    union select ${replayItems.replayId} from ${replayItems} join copies on ${replayItems.originalId} = copies.id
    where ${replayItems.replayId} is not null
  ) select id from copies)`

/** Deletes the rows of an instance in segments whose names sort before `segment`; resolves to how many. */
export async function deleteBodiesBefore({ db }: Store, instance: string, segment: string): Promise<number> {
  const gone = await db
    .delete(keptBodies)
    .where(and(ofInstance(instance), lt(keptBodies.segment, segment)))
    .returning({ requestId: keptBodies.requestId })
  return gone.length
}

/** Deletes the rows of a segment; resolves to how many. */
export async function deleteBodiesIn({ db }: Store, instance: string, segment: string): Promise<number> {
  const gone = await db
    .delete(keptBodies)
    .where(and(ofInstance(instance), eq(keptBodies.segment, segment)))
    .returning({ requestId: keptBodies.requestId })
  return gone.length
}

/** The installations that have rows. One index lookup for each of them, regardless of the number of rows. */
export async function instancesOfBodies({ db }: Store): Promise<string[]> {
  const found = await db.execute(sql`
    with recursive each (instance) as (
      select min(instance) from ${keptBodies}
      union all
      select (select min(instance) from ${keptBodies} where instance > each.instance) from each where each.instance is not null
    ) select instance from each where instance is not null`)
  return returned<{ instance: string }>(found).map(({ instance }) => instance)
}

/** Those of these installations that have ever written to this database. */
export async function knownInstances({ db }: Store, names: readonly string[]): Promise<Set<string>> {
  if (names.length === 0) return new Set()
  const rows = await db
    .selectDistinct({ folder: instances.folder })
    .from(instances)
    .where(inArray(instances.folder, [...names]))
  return new Set(rows.map(({ folder }) => folder))
}

/** Bytes and number of existing records, by segment. */
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

/** The records of a segment, in order. */
export async function bodiesIn({ db }: Store, instance: string, segment: string): Promise<BodyPlace[]> {
  const { requestId, offset, length } = keptBodies
  return db
    .select({ requestId, segment: keptBodies.segment, offset, length })
    .from(keptBodies)
    .where(and(ofInstance(instance), eq(keptBodies.segment, segment)))
    .orderBy(offset)
}

/**
 * Points the rows of a segment to their records' new location, in a file of `to` (absent: of the same instance); those deleted or
 * moved meanwhile are unchanged.
 */
export async function moveBodies(
  { db }: Store,
  instance: string,
  from: string,
  places: readonly BodyPlace[],
  to = instance,
): Promise<void> {
  await db.transaction(async (tx) => {
    await inLots(places, async (lot) => {
      const values = lot.map(({ requestId, segment, offset }) => sql`(${requestId}::text, ${segment}::text, ${offset}::integer)`)
      await tx.execute(sql`
        update ${keptBodies} set segment = place.segment, "offset" = place.beginning, instance = ${to}
        from (values ${sql.join(values, sql`, `)}) as place(id, segment, beginning)
        where ${keptBodies.requestId} = place.id and ${keptBodies.instance} = ${instance} and ${keptBodies.segment} = ${from}`)
    })
  })
}

const ofInstance = (instance: string): SQL => eq(keptBodies.instance, instance)
