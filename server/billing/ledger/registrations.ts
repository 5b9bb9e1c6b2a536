/**
 * The registrations of this process with the database, one after another: each has its own lease sync and journal. When another instance
 * has closed this one, or the database has lost it, a new one follows; the old one only writes its lines back.
 */

import type { Fsync, Journal } from '#billing/journal/contract'
import type { EncodedLine } from '#billing/journal/encoded-line'
import { openJournal } from '#billing/journal/journal'
import type { Clock, Random } from '#runtime/clock'
import type { Log } from '#runtime/log'
import { readIfThere, writeSmall } from '#runtime/small-file'
import type { Store } from '#store/engine/store'
import { type BooksDatabase, directBooks } from './books-database.ts'
import { markCompleted } from './completed-mark.ts'
import { createMoneySync, type MoneySync } from './money-sync.ts'
import { replayJournals, sweepJournals } from './replay.ts'
import { createBackWriter, type WriteBackTarget } from './write-back.ts'

/** Options of every registration. */
export interface RegistrationOptions {
  store: Store
  /** The database of the store as the books use it; absent: on this thread. */
  database?: BooksDatabase
  clock: Clock
  random: Random
  log: Log
  /** Where the journals are: in the locked data folder, on a disk that outlives this process. */
  folder: string
  /** The id of this installation: see `runtime/instance.ts`. */
  installation: string
  fsync: Fsync
  /** The most bytes of journals that wait for the database, and of those that are kept although it has them. */
  maxBytes: number
  /** How many milliseconds ends of requests may wait to be sent to the database with others. */
  lingerMs: number
  /** How much traffic a lease should cover, in milliseconds; 0 takes exactly what is needed, each time. */
  coverMs: number
  /** After how many milliseconds the leases of a missing instance are written off. */
  writeOffMs: number
  /** Location of the folder, by `runtime/place.ts`; absent: unchanged. A folder that was elsewhere may still have a live process there. */
  place?: string
}

/** One registration. */
export interface Registration {
  instance: bigint
  sync: MoneySync
  journal: Journal
  /** Requests that are open, or ended but not in the database yet. */
  due: Set<string>
  /** This open request owes nothing any more. */
  drop(id: string): void
  /** It takes no new requests. */
  retired: boolean
}

/** The current registration, and closing them all. */
export interface Registrations {
  /** The current one; undefined while there is none and nothing can be held. */
  readonly current: Registration | undefined
  /** Nano-dollars that were charged for requests of this run. */
  readonly charged: bigint
  /** Resolves when all lines so far are in the database (true), those of earlier registrations too, or as soon as it does not answer. */
  flush(): Promise<boolean>
  /** Removes journals that are no longer needed. */
  sweep(): Promise<void>
  /** Gives all leases back if every line is in the database; otherwise they stay leased and the journal is left for the next start. */
  close(): Promise<void>
}

/** Milliseconds. */
const longestValidMs = 15 * 60_000
const anewMs = 1_000
/** Three heartbeats of an instance that has anything on lease. */
const listenMs = 3_000

/** Replays the journals of earlier runs and registers. Rejects when the database does not answer or the disk has no room. */
export async function openRegistrations(options: RegistrationOptions): Promise<Registrations> {
  const {
    store,
    clock,
    database = directBooks(store, clock),
    random,
    log,
    folder,
    installation,
    fsync,
    maxBytes,
    coverMs,
    writeOffMs,
    lingerMs,
  } = options
  /** Journals of this run. */
  const writing = new Set<string>()
  /** Earlier registrations with lines that are not in the database yet. */
  const retiring = new Set<Registration>()
  let ended = false

  const journals = () => ({ database, folder, installation, but: writing, maxBytes, now: clock.now(), log })

  async function begin(): Promise<Registration> {
    const instance = BigInt(`0x${random.hex(6)}`)
    const name = `${instance}`
    writing.add(name)
    const journal = await openJournal({ folder: `${folder}/${name}`, instance, fsync, maxBytes, clock, log })
    // Only when there are files: the next start could never close an instance without any.
    await database.register(instance, installation).catch(async (thrown: unknown) => {
      await journal.close(false)
      writing.delete(name)
      throw thrown
    })
    // What was replayed before this instance registered could have been lost since, undetected.
    await replayJournals(journals()).catch(async (thrown: unknown) => {
      await journal.close(true)
      writing.delete(name)
      throw thrown
    })
    const done = (id: string) => {
      journal.flushed(id)
      made.due.delete(id)
      if (made.retired && made.due.size === 0) void retire(made)
    }
    const flushed = ({ id }: EncodedLine) => done(id)
    const writeDown = () => void journal.flush()
    const drop = (id: string) => {
      journal.drop(id)
      done(id)
    }
    const forgotten = async (target: WriteBackTarget) => {
      const writer = createBackWriter(target, log)
      for await (const lines of journal.kept()) await writer.add(lines)
      await writer.end()
      // Then those of this run's earlier instances.
      await replayJournals(journals())
    }
    const place = { store, database, clock, random, log, instance, folder: installation }
    const validMs = Math.min(longestValidMs, writeOffMs)
    const charged = (amount: bigint) => {
      registrations.charged += amount
    }
    const sync = createMoneySync({
      ...place,
      charged,
      coverMs,
      validMs,
      lingerMs,
      flushed,
      writeDown,
      forgotten,
      closed: () => void replace(made),
    })
    const made: Registration = { instance, sync, journal, due: new Set(), drop, retired: false }
    return made
  }

  async function replace(old: Registration): Promise<void> {
    old.retired = true
    retiring.add(old)
    registrations.current = undefined
    if (old.due.size === 0) void retire(old)
    while (!ended && !registrations.current) {
      try {
        // A database that has lost this instance may have lost what was replayed before.
        await replayJournals(journals())
        const next = await begin()
        if (ended) await next.sync.stop()
        else registrations.current = next
      } catch (err) {
        log.warn({ err }, 'a new instance could not be registered; trying again')
        await clock.sleep(anewMs)
      }
    }
  }

  async function retire(old: Registration): Promise<void> {
    const { instance, sync, journal } = old
    retiring.delete(old)
    await sync.stop()
    await journal.close(false).catch((err: unknown) => log.error({ err }, 'the journal of a lost instance could not be closed'))
    writing.delete(`${instance}`)
  }

  async function givenBack({ sync, due, instance }: Registration): Promise<boolean> {
    const flushed = await sync.flush()
    await sync.stop()
    if (!flushed || due.size > 0) return false
    return database.close(instance).catch((err: unknown) => {
      log.warn({ err }, 'the leases of this instance could not be given back; they stay leased until the next start')
      return false
    })
  }

  const registrations: Registrations & { current: Registration | undefined; charged: bigint } = {
    current: undefined,
    charged: 0n,
    async flush() {
      const last = registrations.current
      const all = await Promise.all([...retiring, ...(last ? [last] : [])].map(({ sync }) => sync.flush()))
      return last !== undefined && all.every((flushed) => flushed)
    },
    sweep: () => sweepJournals(journals()),
    async close() {
      ended = true
      await Promise.all([...retiring].map(({ sync }) => sync.flush()))
      const last = registrations.current
      registrations.current = undefined
      if (!last) return
      const isGivenBack = await givenBack(last)
      await last.journal.close(!isGivenBack)
      // Without the mark the next start reads the journal once more.
      if (isGivenBack) await markCompleted(database, `${folder}/${last.instance}`, last.instance).catch(() => {})
    },
  }

  const placeFile = `${folder}/place`
  const isMoved = options.place !== undefined && (await readIfThere(placeFile)) !== options.place
  await replayJournals({ ...journals(), ...(isMoved && { listen: () => clock.sleep(listenMs) }) })
  registrations.current = await begin()
  if (options.place !== undefined) await writeSmall(placeFile, options.place)
  return registrations
}
