/**
 * Work of any kind that outlasts a request: run by one process at a time, taken over by another when that one falls silent,
 * and stopped on request. Each kind defines its work and owns the rows with its data.
 */
import type { Clock, Random } from '#runtime/clock'
import { Abort, type AbortSignalLike } from '#runtime/contract/abort'
import type { Log } from '#runtime/log'
import type { Store } from '#store/engine/store'
import { beatJobs, claimJobs, deleteJob, insertJob, releaseJobs, releaseJobsOf, stopJob } from '#store/jobs/jobs'

/** A job that this process runs. */
export interface RunningJob {
  id: string
  /** Its runner: results may be written only while the row in `jobs` has it. */
  runner: string
  /** Aborted when the process ends, or another one has taken over: nothing more may be begun or written. */
  lost: AbortSignalLike
  /** Aborted when a stop was requested: running parts may finish. */
  stopped: AbortSignalLike
  /** Whether it is certain that no other process runs it: false while heartbeats have been failing for a while. */
  isSure(): boolean
}

/** What a kind of jobs is. */
export interface JobKind {
  /** How many of them this process runs at once. */
  atOnce: number
  /**
   * Runs it to its end; must not repeat what was already done. Resolves to `later` if this process cannot continue for now: others
   * may, and it tries again after a minute. After a rejection it is retried once the silence has passed.
   */
  run(job: RunningJob): Promise<'later' | undefined>
}

/** Jobs of all kinds. */
export interface Jobs {
  /** Adds a job. */
  add(kind: string, id: string): Promise<void>
  /** Adds a job and begins it in this process at once, which has its data at hand. */
  begin(kind: string, id: string): Promise<void>
  /** Requests a stop; false when there is no such job. Another process sees it at its next poll. */
  stop(id: string): Promise<boolean>
  /** Runs ten times per silence interval: sends heartbeats, reads stop requests, and claims abandoned jobs. */
  poll(): Promise<void>
  /** Releases all jobs to others; resolves when nothing runs here any more. Never rejects. */
  close(): Promise<void>
}

/** Jobs, with the definition of their kinds before the first poll. */
export type OpenJobs = Jobs & { define(kind: string, what: JobKind): void }

/** Milliseconds for which a job that this process cannot continue is left to others. */
const laterMs = 60_000

interface Running {
  /** Last successful heartbeat; monotonic milliseconds. */
  beatAt: number
  lost: Abort
  stopped: Abort
  ended: Promise<void>
}

/** Dependencies of jobs. */
export interface JobsParts {
  store: Store
  clock: Clock
  random: Random
  log: Log
  /** This installation, of which no other process runs now: jobs of its previous process are free at once. */
  instance: string
  /** Milliseconds without a heartbeat after which a job counts as abandoned. */
  silenceMs: number
}

/** Jobs in this store; nothing is claimed before the first poll. */
export function createJobs({ store, clock, random, log, instance, silenceMs }: JobsParts): OpenJobs {
  const runner = `${instance}.${random.hex(16)}`
  const kinds = new Map<string, JobKind>()
  const running = new Map<string, Running & { kind: string }>()
  /** Jobs that this process could not continue, and until when it leaves them to others. */
  const left = new Map<string, number>()
  let isFirstPoll = true
  let isClosed = false
  let closing: Promise<void> | undefined
  const now = () => new Date(clock.now())

  /**
   * Runs a job and then deletes or releases its row; if that fails, the row gets no more heartbeats and is claimed after the silence
   * interval.
   */
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
    const work: Omit<Running, 'ended'> & { kind: string } = { kind, lost, stopped, beatAt: clock.monotonic() }
    const isSure = () => clock.monotonic() - work.beatAt < silenceMs / 2
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
    async poll() {
      if (isFirstPoll) await releaseJobsOf(store, instance, runner)
      isFirstPoll = false
      const own = [...running.keys()]
      const beatAt = clock.monotonic()
      const beats = await beatJobs(store, own, runner, now())
      for (const id of own) {
        const job = running.get(id)
        if (beats.get(id)) job?.stopped.abort('stopped')
        else if (!beats.has(id)) job?.lost.abort('lost')
        if (job && beats.has(id)) job.beatAt = beatAt
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
