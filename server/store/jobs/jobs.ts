/** Rows of work that outlasts a request: its runner, and whether it is to stop. */
import { and, asc, eq, exists, inArray, isNull, lt, ne, notInArray, or, type SQL, sql } from 'drizzle-orm'
import { jobs } from '#db/jobs'
import type { Store } from '#store/engine/store'

/** Inserts the row, unless it exists. `runner`: the process already running it. */
export async function insertJob({ db }: Store, id: string, kind: string, now: Date, runner?: string): Promise<void> {
  await db
    .insert(jobs)
    .values({ id, kind, createdAt: now, beatAt: now, ...(runner !== undefined && { runner }) })
    .onConflictDoNothing()
}

/** Which jobs to claim, and for whom. */
export interface JobClaim {
  kind: string
  runner: string
  before: Date
  now: Date
  most: number
  except: readonly string[]
}

/** Claims up to `most` jobs of a kind, except those in `except`, that have no runner, or no heartbeat since `before`; the oldest first. */
export async function claimJobs({ db }: Store, { kind, runner, before, now, most, except }: JobClaim): Promise<string[]> {
  const free = db
    .select({ id: jobs.id })
    .from(jobs)
    .where(and(eq(jobs.kind, kind), or(isNull(jobs.runner), lt(jobs.beatAt, before)), notInArray(jobs.id, [...except])))
    .orderBy(asc(jobs.createdAt), asc(jobs.id))
    .limit(most)
    .for('update', { skipLocked: true })
  const rows = await db.update(jobs).set({ runner, beatAt: now }).where(inArray(jobs.id, free)).returning({ id: jobs.id })
  return rows.map(({ id }) => id)
}

/** Heartbeat of the runner at `now` for these; resolves to those it still owns, and whether each is to stop. */
export async function beatJobs({ db }: Store, ids: readonly string[], runner: string, now: Date): Promise<Map<string, boolean>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .update(jobs)
    .set({ beatAt: now })
    .where(and(inArray(jobs.id, [...ids]), eq(jobs.runner, runner)))
    .returning({ id: jobs.id, stop: jobs.stop })
  return new Map(rows.map(({ id, stop }) => [id, stop]))
}

/** Whether this runner still owns the job, as a condition for statements on the job's data. */
export const isDoneBy = ({ db }: Pick<Store, 'db'>, id: string, runner: string): SQL =>
  exists(
    db
      .select({ id: jobs.id })
      .from(jobs)
      .where(and(eq(jobs.id, id), eq(jobs.runner, runner))),
  )

/** Asks its runner to stop; false when there is no such job. */
export async function stopJob({ db }: Store, id: string): Promise<boolean> {
  const rows = await db.update(jobs).set({ stop: true }).where(eq(jobs.id, id)).returning({ id: jobs.id })
  return rows.length > 0
}

/** Releases these jobs of the runner to others. */
export async function releaseJobs({ db }: Store, ids: readonly string[], runner: string): Promise<void> {
  if (ids.length > 0)
    await db
      .update(jobs)
      .set({ runner: null })
      .where(and(inArray(jobs.id, [...ids]), eq(jobs.runner, runner)))
}

/** Releases jobs of earlier processes of this installation; `runner`: the current process, whose jobs stay. */
export async function releaseJobsOf({ db }: Store, instance: string, runner: string): Promise<void> {
  await db
    .update(jobs)
    .set({ runner: null })
    .where(and(sql`starts_with(${jobs.runner}, ${`${instance}.`})`, ne(jobs.runner, runner)))
}

/** The job is done: deletes its row, if the runner owns it. */
export async function deleteJob({ db }: Store, id: string, runner: string): Promise<void> {
  await db.delete(jobs).where(and(eq(jobs.id, id), eq(jobs.runner, runner)))
}
