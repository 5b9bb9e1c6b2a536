/**
 * Replays: jobs and their items. An item is begun only by the process that owns the job, in the statement that checks the ownership;
 * so a process whose job was taken over begins nothing more.
 */
import { and, asc, desc, eq, exists, inArray, lt, notInArray, or, type SQL, sql } from 'drizzle-orm'
import { replayItems, replayJobs } from '#db/schema'
import { inLots } from '#store/engine/batches'
import { returned } from '#store/engine/rows'
import type { Db, Store } from '#store/engine/store'
import { insertJob, isDoneBy } from '#store/jobs/jobs'

/** A job. */
export type ReplayRecord = typeof replayJobs.$inferSelect
/** An item. */
export type ReplayItemRecord = typeof replayItems.$inferSelect
/** What is known of an item once it has ended. */
export type ReplayEnd = Pick<ReplayItemRecord, 'state'> & Partial<Pick<ReplayItemRecord, 'error' | 'charged' | 'result' | 'difference'>>

/** Inserts a replay with its items, and the job that runs it; in the caller's transaction. */
export async function insertReplay(store: Store, job: ReplayRecord, items: readonly ReplayItemRecord[]): Promise<void> {
  const { db } = store
  await db.insert(replayJobs).values(job)
  await insertJob(store, job.id, replayKind, job.at)
  await inLots(items, (lot) => db.insert(replayItems).values(lot))
}

/** The user's job of this id. */
export async function findReplay({ db }: Store, userId: string, id: string): Promise<ReplayRecord | undefined> {
  const [row] = await db.select().from(replayJobs).where(ofUser(userId, id))
  return row
}

/** The user's jobs, newest first; `before`: only those after this one in that order. */
export async function listReplays(
  { db }: Store,
  userId: string,
  limit: number,
  before?: { at: Date; id: string },
): Promise<ReplayRecord[]> {
  const { at, id } = replayJobs
  const later = before && or(lt(at, before.at), and(eq(at, before.at), lt(id, before.id)))
  return db
    .select()
    .from(replayJobs)
    .where(and(eq(replayJobs.userId, userId), later))
    .orderBy(desc(at), desc(id))
    .limit(limit)
}

/** Number of items in each state per job, and nano-dollars charged. */
export async function countReplayItems({ db }: Store, jobIds: readonly string[]) {
  if (jobIds.length === 0) return []
  const { jobId, state, charged } = replayItems
  return db
    .select({ jobId, state, count: sql`count(*)`.mapWith(Number), charged: sql`coalesce(sum(${charged}), 0)::text`.mapWith(BigInt) })
    .from(replayItems)
    .where(inArray(jobId, [...jobIds]))
    .groupBy(jobId, state)
}

/** Items of a job, in their order. */
export const replayItemsOf = ({ db }: Store, jobId: string): Promise<ReplayItemRecord[]> =>
  db.select().from(replayItems).where(eq(replayItems.jobId, jobId)).orderBy(asc(replayItems.n))

/** The item of a job at this place. */
export async function findReplayItem({ db }: Store, jobId: string, n: number): Promise<ReplayItemRecord | undefined> {
  const [item] = await db
    .select()
    .from(replayItems)
    .where(and(eq(replayItems.jobId, jobId), eq(replayItems.n, n)))
  return item
}

/** How many jobs of the user are running, and the ids of all others, newest first. */
export async function replaysOf({ db }: Store, userId: string): Promise<{ running: number; over: string[] }> {
  const { id, state, at } = replayJobs
  const rows = await db.select({ id, state }).from(replayJobs).where(eq(replayJobs.userId, userId)).orderBy(desc(at), desc(id))
  const over = rows.filter((row) => row.state !== 'running').map((row) => row.id)
  return { running: rows.length - over.length, over }
}

/** The job, whoever started it; undefined where it is over. */
export async function findRunningReplay({ db }: Store, id: string): Promise<ReplayRecord | undefined> {
  const [row] = await db
    .select()
    .from(replayJobs)
    .where(and(eq(replayJobs.id, id), eq(replayJobs.state, 'running')))
  return row
}

/** Marks items that another process had begun as interrupted: they are not begun again. Has no effect if `runner` does not own the job. */
export async function interruptReplayItems(store: Store, jobId: string, runner: string): Promise<void> {
  await store.db
    .update(replayItems)
    .set({ state: 'interrupted' })
    .where(and(eq(replayItems.jobId, jobId), eq(replayItems.state, 'running'), isDoneBy(store, jobId, runner)))
}

/** Asks the user's job to stop; false: none is running. */
export async function stopReplay({ db }: Store, userId: string, id: string): Promise<boolean> {
  const updated = await db
    .update(replayJobs)
    .set({ stopAsked: true })
    .where(and(ofUser(userId, id), eq(replayJobs.state, 'running')))
    .returning({ id: replayJobs.id })
  return updated.length > 0
}

/**
 * Begins the next item of a job under this id; undefined: none is left, `runner` no longer owns the job, or it is to stop.
 * `except`: positions of items to leave to others.
 */
export async function beginReplayItem(
  store: Store,
  jobId: string,
  runner: string,
  begun: { replayId: string; begunAt: Date },
  except: readonly number[],
): Promise<ReplayItemRecord | undefined> {
  const { db } = store
  const waiting = and(eq(replayItems.jobId, jobId), eq(replayItems.state, 'waiting'))
  const left = except.length === 0 ? undefined : notInArray(replayItems.n, [...except])
  const next = db.select({ n: replayItems.n }).from(replayItems).where(and(waiting, left)).orderBy(asc(replayItems.n)).limit(1)
  const goesOn = db
    .select({ id: replayJobs.id })
    .from(replayJobs)
    .where(and(eq(replayJobs.id, jobId), eq(replayJobs.state, 'running'), eq(replayJobs.stopAsked, false)))
  const [item] = await db
    .update(replayItems)
    .set({ state: 'running', ...begun })
    .where(and(waiting, inArray(replayItems.n, next), exists(goesOn), isDoneBy(store, jobId, runner)))
    .returning()
  return item
}

/** Records the result of the item begun under this id, even if it was presumed interrupted. */
export async function endReplayItem({ db }: Store, replayId: string, end: ReplayEnd): Promise<void> {
  await db
    .update(replayItems)
    .set(end)
    .where(and(eq(replayItems.replayId, replayId), inArray(replayItems.state, ['running', 'interrupted'])))
}

/** Nothing of it was sent: sets it back to waiting. */
export async function putBackReplayItem({ db }: Store, replayId: string): Promise<void> {
  await db
    .update(replayItems)
    .set({ state: 'waiting', replayId: null, begunAt: null })
    .where(and(eq(replayItems.replayId, replayId), eq(replayItems.state, 'running')))
}

/** Records what is known of an item's original, and whether its bytes are unchanged. */
export async function noteReplayItem({ db }: Store, replayId: string, known: Pick<ReplayItemRecord, 'original' | 'exact'>): Promise<void> {
  await db.update(replayItems).set(known).where(eq(replayItems.replayId, replayId))
}

/** Nano-dollars: charges of a job's items, plus the expected ones of items whose charge is not known yet. */
export async function spentOfReplay({ db }: Store, jobId: string): Promise<bigint> {
  const rows = returned<{ spent: string }>(
    await db.execute(sql`
      select coalesce(sum(case when ${replayItems.state} in ('running', 'interrupted') then coalesce(charged, expected) else charged end), 0)::text
        as spent from ${replayItems} where job_id = ${jobId}`),
  )
  return BigInt(rows[0]?.spent ?? 0)
}

/**
 * Ends a job: as stopped if that was requested, by its ceiling if `isSpent`, else as done if nothing waits. Waiting items are skipped.
 * False: it is not over, or `runner` does not own it.
 */
export async function endReplay(store: Store, runner: string, id: string, isSpent: boolean): Promise<boolean> {
  return store.db.transaction(async (tx) => {
    const state = sql`case when ${replayJobs.stopAsked} then 'stopped' when ${isSpent} then 'ceiling' else 'done' end`
    const [over] = await tx
      .update(replayJobs)
      .set({ state, finishedAt: sql`clock_timestamp()` })
      .where(
        and(
          eq(replayJobs.id, id),
          eq(replayJobs.state, 'running'),
          isDoneBy(store, id, runner),
          or(eq(replayJobs.stopAsked, true), isSpent ? sql`true` : noneWaits(tx, id)),
        ),
      )
      .returning({ id: replayJobs.id })
    if (!over) return false
    await tx
      .update(replayItems)
      .set({ state: 'skipped' })
      .where(and(eq(replayItems.jobId, id), eq(replayItems.state, 'waiting')))
    return true
  })
}

/** Deletes jobs of these ids, with their items; resolves to the ids of the requests that they sent. */
export async function deleteReplays({ db }: Store, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const { replayId, jobId } = replayItems
  const sent = await db
    .select({ replayId })
    .from(replayItems)
    .where(inArray(jobId, [...ids]))
  await db.delete(replayJobs).where(inArray(replayJobs.id, [...ids]))
  return sent.flatMap((row) => row.replayId ?? [])
}

/** Ids of jobs that ended before this time. */
export async function replaysOverBefore({ db }: Store, before: Date, limit: number): Promise<string[]> {
  const { id, finishedAt } = replayJobs
  const rows = await db.select({ id }).from(replayJobs).where(lt(finishedAt, before)).limit(limit)
  return rows.map((row) => row.id)
}

function noneWaits(db: Db, id: string): SQL {
  const waiting = db
    .select({ n: replayItems.n })
    .from(replayItems)
    .where(and(eq(replayItems.jobId, id), eq(replayItems.state, 'waiting')))
  return sql`not exists ${waiting}`
}

/** The kind of their jobs. */
export const replayKind = 'replay'

const ofUser = (userId: string, id: string) => and(eq(replayJobs.id, id), eq(replayJobs.userId, userId))
