/**
 * Replays: jobs and their items. An item is begun only by the process that does the job, in the statement that looks whether it still does;
 * so one whose job was taken over begins nothing more.
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

/** Inserts a job with its items, and that there is something to do; in a transaction of the caller. */
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

/** The user's jobs, newest first; `before`: only what comes after this one in that order. */
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

/** How many items of each job are in each state, and nano-dollars that were charged. */
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

/** How many jobs of the user go on, and the ids of all others, newest first. */
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

/** What another process had begun of a job was interrupted: it is not begun again. Nothing happens where `runner` does not do the job. */
export async function interruptReplayItems(store: Store, jobId: string, runner: string): Promise<void> {
  await store.db
    .update(replayItems)
    .set({ state: 'interrupted' })
    .where(and(eq(replayItems.jobId, jobId), eq(replayItems.state, 'running'), isDoneBy(store, jobId, runner)))
}

/** The user's job is to stop; false: there is none that goes on. */
export async function stopReplay({ db }: Store, userId: string, id: string): Promise<boolean> {
  const told = await db
    .update(replayJobs)
    .set({ stopAsked: true })
    .where(and(ofUser(userId, id), eq(replayJobs.state, 'running')))
    .returning({ id: replayJobs.id })
  return told.length > 0
}

/**
 * Begins the next item of a job under this id; undefined: none is left, or `runner` does not do the job any more, or it is to stop.
 * `except`: places of items that are left for others.
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

/** What an item that was begun under this id came to. One that was taken for interrupted is put right. */
export async function endReplayItem({ db }: Store, replayId: string, end: ReplayEnd): Promise<void> {
  await db
    .update(replayItems)
    .set(end)
    .where(and(eq(replayItems.replayId, replayId), inArray(replayItems.state, ['running', 'interrupted'])))
}

/** Nothing of it was sent: it waits again. */
export async function putBackReplayItem({ db }: Store, replayId: string): Promise<void> {
  await db
    .update(replayItems)
    .set({ state: 'waiting', replayId: null, begunAt: null })
    .where(and(eq(replayItems.replayId, replayId), eq(replayItems.state, 'running')))
}

/** Notes of an item what was known of its original, and whether its bytes are unchanged. */
export async function noteReplayItem({ db }: Store, replayId: string, known: Pick<ReplayItemRecord, 'original' | 'exact'>): Promise<void> {
  await db.update(replayItems).set(known).where(eq(replayItems.replayId, replayId))
}

/** Nano-dollars: what the items of a job were charged, and what those are expected to be of which nobody knows yet. */
export async function spentOfReplay({ db }: Store, jobId: string): Promise<bigint> {
  const rows = returned<{ spent: string }>(
    await db.execute(sql`
      select coalesce(sum(case when ${replayItems.state} in ('running', 'interrupted') then coalesce(charged, expected) else charged end), 0)::text
        as spent from ${replayItems} where job_id = ${jobId}`),
  )
  return BigInt(rows[0]?.spent ?? 0)
}

/**
 * Ends a job: as stopped where it was told to, for its ceiling where `isSpent`, else as done where nothing waits. What waits is skipped.
 * False: it is not over, or `runner` does not do it.
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

/** Deletes jobs of these ids, with their items; resolves with the ids of the requests that they sent. */
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
