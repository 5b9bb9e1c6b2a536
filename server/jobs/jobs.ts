/**
 * Work that lasts longer than a request, whatever it is: done by one process at a time, taken over by another when that one falls silent,
 * and stopped when somebody asks for it. Each kind says what it does; the rows of what it is about are its own.
 */
import type { Clock, Random } from '#runtime/clock'
import { Abort, type AbortSignalLike } from '#runtime/contract/abort'
import type { Log } from '#runtime/log'
import type { Store } from '#store/engine/store'
import { beatJobs, claimJobs, deleteJob, insertJob, releaseJobs, releaseJobsOf, stopJob } from '#store/jobs/jobs'

/** A job that this process does. */
export interface RunningJob {
  id: string
  /** Who does it: results may be written only while the row in `jobs` says so. */
  runner: string
  /** Aborted when the process ends, or another one does the job: nothing may be begun, and nothing written. */
  lost: AbortSignalLike
  /** Aborted when somebody asked that it stop: what has begun may end. */
  stopped: AbortSignalLike
  /** Whether it is certain that nobody else does it: false while this process could not say for a while that it does. */
  isSure(): boolean
}

/** What a kind of jobs is. */
export interface JobKind {
  /** How many of them this process does at once. */
  atOnce: number
  /**
   * Does it to its end; what was done before must not be done again. Resolves with `later` where this process cannot go on for now: others
   * may, and it looks again after a minute. When it rejects, it is tried again after the silence.
   */
  run(job: RunningJob): Promise<'later' | undefined>
}

/** Jobs of all kinds. */
export interface Jobs {
  /** There is something to do. */
  add(kind: string, id: string): Promise<void>
  /** There is something to do, and this process begins at once: what it has in its hands for it is used. */
  begin(kind: string, id: string): Promise<void>
  /** Asks that it stop; false when there is no such job. Another process hears of it at its next look. */
  stop(id: string): Promise<boolean>
  /** Runs ten times in a silence: tells others what is done here, hears what is to stop, and takes what nobody does. */
  look(): Promise<void>
  /** Gives everything up, for others to do; resolves when nothing is done here any more. Never rejects. */
  close(): Promise<void>
}

/** Jobs, and how their kinds are named before the first look. */
export type OpenJobs = Jobs & { define(kind: string, what: JobKind): void }

/** Milliseconds for which a job that this process cannot do for now is left to others. */
const laterMs = 60_000

interface Running {
  /** When it last said so; monotonic milliseconds. */
  saidAt: number
  lost: Abort
  stopped: Abort
  ended: Promise<void>
}

/** What jobs need. */
export interface JobsParts {
  store: Store
  clock: Clock
  random: Random
  log: Log
  /** The installation, of which no other process runs now: what its last one left is free at once. */
  instance: string
  /** Milliseconds without a sign after which a job counts as abandoned. */
  silenceMs: number
}

/** Jobs in this store; nothing is taken before the first look. */
export function createJobs({ store, clock, random, log, instance, silenceMs }: JobsParts): OpenJobs {
  const runner = `${instance}.${random.hex(16)}`
  const kinds = new Map<string, JobKind>()
  const running = new Map<string, Running & { kind: string }>()
  /** Jobs that this process could not do, and until when it leaves them to others. */
  const left = new Map<string, number>()
  let isFirstLook = true
  let isClosed = false
  let closing: Promise<void> | undefined
  const now = () => new Date(clock.now())

  /** Does a job and sees to its row; without that the row gives no sign of life from now on, and is taken when it has been silent for long enough. */
  async function attend(job: RunningJob, kind: string, { run }: JobKind): Promise<void> {
    const { id, lost } = job
    try {
      const end = await run(job)
      if (end === undefined && !lost.aborted) return await deleteJob(store, id, runner)
      if (end === 'later') left.set(id, clock.monotonic() + laterMs)
    } catch (thrown) {
      if (!lost.aborted) return log.warn({ job: id, kind, err: thrown }, 'a job failed and is tried again')
    }
    await releaseJobs(store, [id], runner)
  }

  function begin(kind: string, id: string, what: JobKind): void {
    const [lost, stopped] = [new Abort(), new Abort()]
    const work: Omit<Running, 'ended'> & { kind: string } = { kind, lost, stopped, saidAt: clock.monotonic() }
    const isSure = () => clock.monotonic() - work.saidAt < silenceMs / 2
    const ended = attend({ id, runner, lost, stopped, isSure }, kind, what)
      .catch((thrown: unknown) => log.warn({ job: id, kind, err: thrown }, 'the row of a job could not be written'))
      .finally(() => running.delete(id))
    running.set(id, Object.assign(work, { ended }))
  }

  async function close(): Promise<void> {
    isClosed = true
    for (const { lost } of running.values()) lost.abort('closed')
    await Promise.all([...running.values()].map(({ ended }) => ended))
  }

  return {
    define: (kind, what) => void kinds.set(kind, what),
    add: (kind, id) => insertJob(store, id, kind, now()),
    async begin(kind, id) {
      const what = isClosed ? undefined : kinds.get(kind)
      await insertJob(store, id, kind, now(), what && runner)
      if (what) begin(kind, id, what)
    },
    async stop(id) {
      const isThere = await stopJob(store, id)
      running.get(id)?.stopped.abort('stopped')
      return isThere
    },
    async look() {
      if (isFirstLook) await releaseJobsOf(store, instance, runner)
      isFirstLook = false
      const own = [...running.keys()]
      const saidAt = clock.monotonic()
      const told = await beatJobs(store, own, runner, now())
      for (const id of own) {
        const job = running.get(id)
        if (told.get(id)) job?.stopped.abort('stopped')
        else if (!told.has(id)) job?.lost.abort('lost')
        if (job && told.has(id)) job.saidAt = saidAt
      }
      for (const [id, until] of left) if (until <= clock.monotonic()) left.delete(id)
      for (const [kind, what] of kinds) {
        const most = what.atOnce - [...running.values()].filter((one) => one.kind === kind).length
        if (isClosed || most <= 0) continue
        const before = new Date(clock.now() - silenceMs)
        for (const id of await claimJobs(store, { kind, runner, before, now: now(), most, except: [...left.keys()] })) {
          if (!running.has(id)) begin(kind, id, what)
        }
      }
    },
    close: () => (closing ??= close()),
  }
}
