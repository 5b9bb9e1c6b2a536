/** Rows of work that lasts longer than a request: who does it, and whether it goes on. */
import { and, asc, eq, exists, inArray, isNull, lt, ne, notInArray, or, type SQL, sql } from 'drizzle-orm'
import { jobs } from '#db/jobs'
import type { Store } from '#store/engine/store'

/** Inserts the row, unless it is there. `runner`: who does it already. */
export async function insertJob({ db }: Store, id: string, kind: string, now: Date, runner?: string): Promise<void> {
  await db
    .insert(jobs)
    .values({ id, kind, createdAt: now, beatAt: now, ...(runner !== undefined && { runner }) })
    .onConflictDoNothing()
}

/** Which jobs are taken, by whom. */
export interface JobClaim {
  kind: string
  runner: string
  before: Date
  now: Date
  most: number
  except: readonly string[]
}

/** Takes up to `most` jobs of a kind, but for those in `except`, that nobody does, or nobody has beaten for since `before`; the oldest first. */
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

/** Says at `now` that the runner does these; resolves to those among them that are still its own, and whether each is to stop. */
export async function beatJobs({ db }: Store, ids: readonly string[], runner: string, now: Date): Promise<Map<string, boolean>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .update(jobs)
    .set({ beatAt: now })
    .where(and(inArray(jobs.id, [...ids]), eq(jobs.runner, runner)))
    .returning({ id: jobs.id, stop: jobs.stop })
  return new Map(rows.map(({ id, stop }) => [id, stop]))
}

/** Whether this runner still does the job, as a condition of a statement about what it is about. */
export const isDoneBy = ({ db }: Pick<Store, 'db'>, id: string, runner: string): SQL =>
  exists(
    db
      .select({ id: jobs.id })
      .from(jobs)
      .where(and(eq(jobs.id, id), eq(jobs.runner, runner))),
  )

/** Asks whoever does it to stop; false when there is no such job. */
export async function stopJob({ db }: Store, id: string): Promise<boolean> {
  const rows = await db.update(jobs).set({ stop: true }).where(eq(jobs.id, id)).returning({ id: jobs.id })
  return rows.length > 0
}

/** Lets others do these, of the runner's own. */
export async function releaseJobs({ db }: Store, ids: readonly string[], runner: string): Promise<void> {
  if (ids.length > 0)
    await db
      .update(jobs)
      .set({ runner: null })
      .where(and(inArray(jobs.id, [...ids]), eq(jobs.runner, runner)))
}

/** Lets others do what earlier processes of this installation did; `runner`: the present one, which may have begun something. */
export async function releaseJobsOf({ db }: Store, instance: string, runner: string): Promise<void> {
  await db
    .update(jobs)
    .set({ runner: null })
    .where(and(sql`starts_with(${jobs.runner}, ${`${instance}.`})`, ne(jobs.runner, runner)))
}

/** It is done: deletes the row of the runner's own. */
export async function deleteJob({ db }: Store, id: string, runner: string): Promise<void> {
  await db.delete(jobs).where(and(eq(jobs.id, id), eq(jobs.runner, runner)))
}
