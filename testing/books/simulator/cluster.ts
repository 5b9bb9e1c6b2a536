/**
 * Several places, each with a folder and a process that keeps leased books of the one database. Processes are killed and started
 * again on what they left. Time jumps from timer to timer, and waits for the database and the files, which are real.
 */
import { join } from 'node:path'
import { type LeasedBooks, openLeasedBooks } from '#billing/ledger/leased-books'
import { type Random, systemClock } from '#runtime/clock'
import type { Log } from '#runtime/log'
import { type Seeded, seeded } from '#testing/seeded'
import { type StepClock, stepClock } from '#testing/step-clock'
import { type Ground, storeOver } from './database.ts'
import type { Weather } from './network-faults.ts'
import { createProcess, type Process } from './simulated-process.ts'

export interface Setting {
  coverMs: number
  settleWaits: boolean
  writeOffMs: number
}

/** What a planted fault does besides. */
export interface Meddling {
  /** A process was killed; only its folder is left. */
  killed?(place: Place): Promise<void>
}

export interface Place {
  name: string
  /** Of its journals. */
  folder: string
  process: Process | undefined
  /** Once the process has started. */
  books: LeasedBooks | undefined
  /** Why its last process did not start, if one did not. */
  failure: unknown
  /** When the database last ran a call of it. */
  seen: number
}

export interface World {
  clock: StepClock
  places: readonly Place[]
  /** Errors that any process has logged. */
  errors: string[]
  counts: { kills: number; 'killed at start': number; starts: number; calls: number }
  kill(place: Place): void
  start(place: Place): void
  /** Shuts its process down in order. */
  close(place: Place): Promise<void>
  /** Tells all processes that a row has changed. */
  tell(topic: string, id: string): void
  /** Works on the database directly. Time stands still meanwhile. */
  alongside(work: () => Promise<void>): Promise<void>
  /** Lets time pass up to this moment. */
  until(ms: number): Promise<void>
  /** Lets time pass until it is true; false when it stays untrue for too long, in simulated or real time. */
  wait(isSo: () => boolean, ms: number): Promise<boolean>
  /** Work that needs time to pass. */
  drive<T>(work: Promise<T>): Promise<T>
}

export interface WorldParts {
  ground: Ground
  seed: number
  places: number
  weather: Weather
  setting: Setting
  meddling: Meddling
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
const restartMs = 200

/** A world whose places have no process yet. */
export function createWorld({ ground, seed, places: count, weather, setting, meddling }: WorldParts): World {
  const random: Seeded = seeded(seed * 7919 + 1)
  const clock = stepClock(random.fraction)
  const chance = randomOf(seeded(seed * 104_729 + 2))
  const executing = new Set<Promise<unknown>>()
  const errors: string[] = []
  const counts = { kills: 0, 'killed at start': 0, starts: 0, calls: 0 }
  const ears = new Map<Process, (topic: string, id: string) => void>()
  const places = Array.from({ length: count }, (_, n): Place => {
    const name = `${seed}-${n}`
    return { name, folder: join(ground.folder, name), process: undefined, books: undefined, failure: undefined, seen: 0 }
  })

  function execute<T>(call: () => Promise<T>): Promise<T> {
    const done = call()
    executing.add(done)
    return done.finally(() => executing.delete(done))
  }

  const isBusyWithFiles = ({ process, books }: Place) => process?.isAlive() && !books && process.calls() === 0

  /** Nothing more can happen until time passes. */
  async function quiet(): Promise<void> {
    for (let files = 0; files < 500; ) {
      await turn()
      if (executing.size > 0) await Promise.allSettled(executing)
      else if (!places.some(isBusyWithFiles)) return
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

  function tell(topic: string, id: string, by?: Process): void {
    for (const [process, heard] of ears) {
      if (process === by || weather.fate(topic) !== 'answered') continue
      clock.after(weather.delay(), () => void process.clock.after(0, () => heard(topic, id)))
    }
  }

  const log: Log = {
    debug: () => {},
    info: () => {},
    warn: () => {},
    error: (fields, message) => void errors.push(`${message} ${JSON.stringify(fields, textOf)}`),
  }

  function start(place: Place): void {
    const process = createProcess(clock, weather, (call) => {
      counts.calls += 1
      place.seen = clock.monotonic()
      return execute(call)
    })
    place.process = process
    counts.starts += 1
    const { client } = ground
    const way = {
      query: (...args: Parameters<typeof client.query>) => process.carry(() => client.query(...args), args.slice(0, 2).join()),
      transaction: <T>(work: Parameters<typeof client.transaction<T>>[0]) => process.carry(() => client.transaction(work)),
    }
    const { store, heard } = storeOver(way, process.clock, async (topic, id) => tell(topic, id, process))
    ears.set(process, heard)
    const options = { store, clock: process.clock, random: chance, log }
    const files = { folder: place.folder, installation: place.name, fsync: 'never', maxBytes: 512 * 1024 } as const
    const opening = openLeasedBooks({ ...options, ...files, ...setting })
    void opening.then(
      (books) => {
        if (place.process === process) place.books = books
      },
      (thrown: unknown) => {
        // The database did not answer: the process ends and is started again.
        place.failure = thrown
        process.kill()
        ears.delete(process)
        if (place.process === process) clock.after(restartMs, () => start(place))
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
    places,
    errors,
    counts,
    start,
    async close(place) {
      const { books } = place
      place.books = undefined
      const closing = books?.close() ?? Promise.resolve()
      await drive(
        closing.finally(() => {
          place.process = undefined
        }),
      )
    },
    tell,
    alongside: execute,
    kill(place) {
      const { process } = place
      if (!process?.isAlive()) return
      process.kill()
      ears.delete(process)
      counts.kills += 1
      if (!place.books) counts['killed at start'] += 1
      place.process = undefined
      place.books = undefined
      const { killed } = meddling
      if (killed) void execute(() => killed(place))
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
      // Its files are real, and may be slower than simulated time.
      for (let tries = 0; tries < 1_000 && !isSo(); tries++) {
        await systemClock.sleep(5)
        await step()
      }
      return isSo()
    },
    drive,
  }
}

/** The random source of the program, from a seed. */
function randomOf({ fraction, below }: Seeded): Random {
  const digits = (count: number) => Array.from({ length: count }, () => below(16).toString(16)).join('')
  return { fraction, hex: (bytes) => digits(2 * bytes), base62: digits }
}

const textOf = (_: string, value: unknown) =>
  typeof value === 'bigint' ? value.toString() : value instanceof Error ? value.message : value
