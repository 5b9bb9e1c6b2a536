/**
 * Work that lasts longer than a request, whatever it is: done by one process at a time, taken over by another when that one falls silent,
 * and stopped when somebody asks for it. Each kind says what it does; the rows of what it is about are its own.
 */
import type { Clock, Random } from '#runtime/clock'
import { Abort, type AbortSignalLike } from '#runtime/contract/abort'
import type { Log } from '#runtime/log'
import type { Store } from '#store/engine/store'
import { beatJobs, claimJobs, deleteJob, insertJob, releaseJobs, stopJob } from '#store/jobs/jobs'

/** A job that this process does. */
export interface RunningJob {
  id: string
  /** Who does it: results may be written only while the row in `jobs` says so. */
  runner: string
  /** Aborted when the process ends, or another one does the job: nothing may be begun, and nothing written. */
  lost: AbortSignalLike
  /** Aborted when somebody asked that it stop: what has begun may end. */
  stopped: AbortSignalLike
}

/** What a kind of jobs is. */
export interface JobKind {
  /** How many of them this process does at once. */
  atOnce: number
  /** Does it to its end; what was done before must not be done again. When it rejects, it is tried again once it counts as abandoned. */
  run(job: RunningJob): Promise<void>
}

/** Jobs of all kinds. */
export interface Jobs {
  /** There is something to do. */
  add(kind: string, id: string): Promise<void>
  /** Asks that it stop; false when there is no such job. Another process hears of it within two seconds. */
  stop(id: string): Promise<boolean>
  /** Runs every two seconds: tells others what is done here, hears what is to stop, and takes what nobody does. */
  look(): Promise<void>
  /** Gives everything up, for others to do; resolves when nothing is done here any more. Never rejects. */
  close(): Promise<void>
}

interface Running {
  lost: Abort
  stopped: Abort
  ended: Promise<void>
}

/** What jobs need. */
export interface JobParts {
  store: Store
  clock: Clock
  random: Random
  log: Log
  /** Milliseconds without a sign after which a job counts as abandoned. */
  silenceMs: number
}

/** Jobs in this store; nothing is taken before the first look. */
export function createJobs({ store, clock, random, log, silenceMs }: JobParts) {
  const runner = random.hex(16)
  const kinds = new Map<string, JobKind>()
  const running = new Map<string, Running & { kind: string }>()
  let isClosed = false
  let closing: Promise<void> | undefined
  const now = () => new Date(clock.now())

  function begin(kind: string, id: string, { run }: JobKind): void {
    const lost = new Abort()
    const stopped = new Abort()
    const ended = run({ id, runner, lost, stopped })
      .then(() => (lost.aborted ? undefined : deleteJob(store, id, runner)))
      // Its row goes without a sign of life from now on, and is taken again when it has been silent for long enough.
      .catch((thrown: unknown) => lost.aborted || log.warn({ job: id, kind, err: thrown }, 'a job failed and is tried again'))
      .then(() => void running.delete(id))
    running.set(id, { kind, lost, stopped, ended })
  }

  async function close(): Promise<void> {
    isClosed = true
    const own = [...running.entries()]
    for (const [, { lost }] of own) lost.abort('closed')
    await Promise.all(own.map(([, { ended }]) => ended))
    const ids = own.map(([id]) => id)
    await releaseJobs(store, ids, runner).catch((thrown: unknown) => log.warn({ err: thrown }, 'jobs could not be handed over'))
  }

  const jobs: Jobs = {
    add: (kind, id) => insertJob(store, id, kind, now()),
    async stop(id) {
      const isThere = await stopJob(store, id)
      running.get(id)?.stopped.abort('stopped')
      return isThere
    },
    async look() {
      const own = [...running.keys()]
      const told = await beatJobs(store, own, runner, now())
      for (const id of own) {
        const job = running.get(id)
        if (told.get(id)) job?.stopped.abort('stopped')
        else if (!told.has(id)) job?.lost.abort('lost')
      }
      for (const [kind, what] of kinds) {
        const most = what.atOnce - [...running.values()].filter((one) => one.kind === kind).length
        if (isClosed || most <= 0) continue
        const before = new Date(clock.now() - silenceMs)
        for (const id of await claimJobs(store, { kind, runner, before, now: now(), most })) {
          if (!running.has(id)) begin(kind, id, what)
        }
      }
    },
    close: () => (closing ??= close()),
  }
  return Object.assign(jobs, {
    /** Names a kind, before the first look. */
    define: (kind: string, what: JobKind) => void kinds.set(kind, what),
  })
}
