/**
 * Several sites, each with a folder and a process that keeps leased books on the one database. Processes are killed and restarted on their
 * data. The clock jumps from timer to timer and waits for the database and the files, which are real.
 */
import { join } from 'node:path'
import { type BooksDatabase as AskedDatabase, directBooks } from '#billing/ledger/books-database'
import { type LeasedBooks, openLeasedBooks } from '#billing/ledger/leased-books'
import { type Clock, type Random, systemClock } from '#runtime/clock'
import type { Log } from '#runtime/log'
import type { Store } from '#store/engine/store'
import { type Seeded, seeded } from '#testing/seeded'
import { type StepClock, stepClock } from '#testing/step-clock'
import { type BooksDatabase, storeOver } from './database.ts'
import type { Network } from './network-faults.ts'
import { createProcess, type Process } from './simulated-process.ts'

/** The options of the leased books. */
export interface Setting {
  coverMs: number
  settleWaits: boolean
  writeOffMs: number
}

/** Redeems a code for a wallet at an instance. */
export type Redeem = (site: { store: Store; clock: Clock }, walletId: string, code: string) => Promise<unknown>

/** Additional actions of a wrong design. */
export interface DesignActions {
  /** Wraps the answers of the database for the books. */
  answers?(database: AskedDatabase): AskedDatabase
  /** For how long the program believes that its leases are valid, in place of `writeOffMs`. */
  believedMs?: number
  /** How a code is redeemed. */
  redeem?: Redeem
  /** Called when a process was killed; only its folder is left. */
  killed?(site: Site): Promise<void>
}

/** A data folder and the process that runs on it, if any. */
export interface Site {
  name: string
  /** The folder of its journals. */
  folder: string
  process: Process | undefined
  /** The database as its process reaches it. */
  store: Store | undefined
  /** Set once the process has started. */
  books: LeasedBooks | undefined
  /** Why its last process failed to start, if it did. */
  failure: unknown
  /** Simulated time of its last call that the database executed. */
  seen: number
  /** Its process knows that the database lost commits, and has not written all of them again and reread its leases. */
  isTelling: boolean
}

/** The simulated processes, their clock, and what a schedule can do to them. */
export interface Cluster {
  clock: StepClock
  sites: readonly Site[]
  /** Errors logged by any process. */
  errors: string[]
  counts: { kills: number; 'killed at start': number; starts: number; calls: number; losses: number }
  /** When a process learned that commits were lost, and when one was killed, in simulated milliseconds. */
  setbacks: { site: string; at: number }[]
  kill(site: Site): void
  start(site: Site): void
  /** Shuts its process down normally. */
  close(site: Site): Promise<void>
  /** Notifies all processes that a row has changed. */
  notify(topic: string, id: string): void
  /** Works on the database directly; the clock stands still meanwhile. */
  alongside(work: () => Promise<void>): Promise<void>
  /** Lets time pass up to this moment. */
  until(ms: number): Promise<void>
  /** Lets time pass until the condition holds; false if it does not within the limit, in simulated or real time. */
  wait(isSo: () => boolean, ms: number): Promise<boolean>
  /** Lets time pass until this work is done. */
  drive<T>(work: Promise<T>): Promise<T>
}

/** The environment of the processes. */
export interface ClusterParts {
  database: BooksDatabase
  seed: number
  sites: number
  network: Network
  setting: Setting
  actions: DesignActions
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
const restartMs = 200

/** Creates the sites, without processes yet. */
export function createCluster({ database, seed, sites: count, network, setting, actions }: ClusterParts): Cluster {
  const random: Seeded = seeded(seed * 7919 + 1)
  const clock = stepClock(random.fraction)
  const seededRandom = randomOf(seeded(seed * 104_729 + 2))
  const executing = new Set<Promise<unknown>>()
  const errors: string[] = []
  const setbacks: Cluster['setbacks'] = []
  const counts = { kills: 0, 'killed at start': 0, starts: 0, calls: 0, losses: 0 }
  const listeners = new Map<Process, (topic: string, id: string) => void>()
  const sites = Array.from({ length: count }, (_, n): Site => {
    const name = `${seed}-${n}`
    return {
      name,
      folder: join(database.folder, name),
      process: undefined,
      store: undefined,
      books: undefined,
      failure: undefined,
      seen: 0,
      isTelling: false,
    }
  })

  function execute<T>(call: () => Promise<T>): Promise<T> {
    const done = call()
    executing.add(done)
    return done.finally(() => executing.delete(done))
  }

  const isBusyWithFiles = ({ process, books }: Site) => process?.isAlive() && !books && process.calls() === 0

  /** Waits until nothing more can happen before the next timer. */
  async function quiet(): Promise<void> {
    for (let files = 0; files < 500; ) {
      await turn()
      if (executing.size > 0) await Promise.allSettled(executing)
      else if (!sites.some(isBusyWithFiles)) return
      else {
        files += 1
        await systemClock.sleep(1)
      }
    }
  }

  async function step(): Promise<void> {
    await quiet()
    await clock.step()
    await quiet()
  }

  function notify(topic: string, id: string, by?: Process): void {
    for (const [process, received] of listeners) {
      if (process === by || network.fate(topic) !== 'answered') continue
      clock.after(network.delay(), () => void process.clock.after(0, () => received(topic, id)))
    }
  }

  const log: Log = {
    debug: () => {},
    info: () => {},
    warn: () => {},
    error: (fields, message) => void errors.push(`${message} ${JSON.stringify(fields, textOf)}`),
  }

  /** Records when a site knows that its database has lost commits. */
  function watched(asked: AskedDatabase, site: Site, process: Process): AskedDatabase {
    site.isTelling = false
    let hasTold = false
    return {
      ...asked,
      async resync(call, withinMs) {
        const answer = await asked.resync(call, withinMs)
        if (answer.forgot && site.process === process) {
          site.isTelling = true
          hasTold = false
          counts.losses += 1
          setbacks.push({ site: site.name, at: clock.monotonic() })
        } else if (hasTold && site.process === process) site.isTelling = false
        return answer
      },
      async endTelling(instance) {
        await asked.endTelling(instance)
        hasTold = true
      },
    }
  }

  function start(site: Site): void {
    const process = createProcess(clock, network, (call) => {
      counts.calls += 1
      site.seen = clock.monotonic()
      return execute(call)
    })
    site.process = process
    counts.starts += 1
    const { client } = database
    const simulatedClient = {
      query: (...args: Parameters<typeof client.query>) => process.carry(() => client.query(...args), args.slice(0, 2).join()),
      transaction: <T>(work: Parameters<typeof client.transaction<T>>[0]) => process.carry(() => client.transaction(work)),
    }
    const { store, received } = storeOver(simulatedClient, process.clock, async (topic, id) => notify(topic, id, process))
    site.store = store
    listeners.set(process, received)
    const asked = watched(directBooks(store, process.clock), site, process)
    const options = { store, clock: process.clock, random: seededRandom, log, database: actions.answers?.(asked) ?? asked }
    const files = { folder: site.folder, installation: site.name, fsync: 'never', maxBytes: 512 * 1024 } as const
    const writeOffMs = actions.believedMs ?? setting.writeOffMs
    const opening = openLeasedBooks({ ...options, ...files, ...setting, writeOffMs })
    void opening.then(
      (books) => {
        if (site.process === process) site.books = books
      },
      (thrown: unknown) => {
        // The database did not answer: the process exits and is restarted.
        site.failure = thrown
        process.kill()
        listeners.delete(process)
        if (site.process === process) clock.after(restartMs, () => start(site))
      },
    )
  }

  async function drive<T>(work: Promise<T>): Promise<T> {
    let over = false
    const end = () => {
      over = true
    }
    void work.then(end, end)
    while (!over) {
      if (clock.pending() > 0) await step()
      else await systemClock.sleep(1)
    }
    return work
  }

  return {
    clock,
    sites,
    errors,
    counts,
    setbacks,
    start,
    async close(site) {
      const { books } = site
      site.books = undefined
      const closing = books?.close() ?? Promise.resolve()
      await drive(
        closing.finally(() => {
          site.process = undefined
        }),
      )
    },
    notify,
    alongside: execute,
    kill(site) {
      const { process } = site
      if (!process?.isAlive()) return
      process.kill()
      listeners.delete(process)
      counts.kills += 1
      setbacks.push({ site: site.name, at: clock.monotonic() })
      if (!site.books) counts['killed at start'] += 1
      site.process = undefined
      site.books = undefined
      const { killed } = actions
      if (killed) void execute(() => killed(site))
    },
    async until(ms) {
      let reached = false
      clock.after(ms - clock.monotonic(), () => {
        reached = true
      })
      while (!reached) await step()
    },
    async wait(isSo, ms) {
      const last = clock.monotonic() + ms
      clock.after(ms, () => {})
      while (!isSo() && clock.monotonic() < last) await step()
      // Files are real and may be slower than simulated time.
      for (let tries = 0; tries < 1_000 && !isSo(); tries++) {
        await systemClock.sleep(5)
        await step()
      }
      return isSo()
    },
    drive,
  }
}

/** The program's random source, seeded. */
function randomOf({ fraction, below }: Seeded): Random {
  const digits = (count: number) => Array.from({ length: count }, () => below(16).toString(16)).join('')
  return { fraction, hex: (bytes) => digits(2 * bytes), base62: digits }
}

const textOf = (_: string, value: unknown) =>
  typeof value === 'bigint' ? value.toString() : value instanceof Error ? value.message : value
