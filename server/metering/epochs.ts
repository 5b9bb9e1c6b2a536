/**
 * One registration at the database after the other: each has its lane and its files. An instance that others have closed, or that
 * the database has forgotten, is followed by a new one; it only brings its lines home.
 */
import type { Clock, Dice } from '#runtime/clock'
import type { Log } from '#runtime/log'
import { closeInstance, registerInstance } from '#store/instances'
import type { BookLine } from '#store/leases'
import type { Store } from '#store/store'
import { bringHome, type Home } from './bring-home.ts'
import { type Fsync, type Journal, openJournal } from './journal.ts'
import { createMoneySync, type MoneySync } from './money-sync.ts'
import { replayJournals, sweepJournals } from './replay.ts'

export interface EpochOptions {
  store: Store
  clock: Clock
  dice: Dice
  log: Log
  /** Where the journals lie: in the locked data folder, on a disk that outlives this start. */
  folder: string
  /** Which installation this is: see `runtime/instance.ts`. */
  installation: string
  fsync: Fsync
  /** How many bytes of journals may wait for the database, and how many are kept that it has. */
  maxBytes: number
  /** How much traffic a slice should cover, in milliseconds; 0 takes exactly what is needed, each time. */
  coverMs: number
  /** After how many milliseconds the slices of a missing instance are written off. */
  writeOffMs: number
}

export interface Epoch {
  instance: bigint
  lane: MoneySync
  journal: Journal
  /** Requests that are open, or over and not in the database yet. */
  due: Set<string>
  /** It takes no new requests. */
  retired: boolean
}

export interface Epochs {
  /** Undefined while there is none: then nothing can be held. */
  now(): Epoch | undefined
  /** Removes journals that need not be kept any longer. */
  sweep(): Promise<void>
  /** Gives back what is held, when everything is in the database; else its journal stays for the next start. */
  close(): Promise<void>
}

/** Milliseconds. */
const longestTrust = 15 * 60_000
const anewMs = 1_000

/** Replays what earlier runs left, and begins. Rejects when the database does not answer or the disk has no room. */
export async function openEpochs(options: EpochOptions): Promise<Epochs> {
  const { store, clock, dice, log, folder, installation, fsync, maxBytes, coverMs, writeOffMs } = options
  /** Of this run; nobody else looks at their files. */
  const writing = new Set<string>()
  let epoch: Epoch | undefined
  let ended = false

  const journals = () => ({ store, folder, installation, but: writing, maxBytes, now: clock.now(), log })

  async function begin(): Promise<Epoch> {
    const instance = BigInt(`0x${dice.hex(6)}`)
    const name = `${instance}`
    writing.add(name)
    const journal = await openJournal({ folder: `${folder}/${name}`, instance, fsync, maxBytes, clock, log })
    // Not before there are files: an instance without any could never be closed by its next start.
    await registerInstance(store, { id: instance, folder: installation }).catch(async (thrown: unknown) => {
      await journal.close(false)
      writing.delete(name)
      throw thrown
    })
    const flushed = ({ row }: BookLine) => {
      journal.flushed(row.requestId)
      made.due.delete(row.requestId)
      if (made.retired && made.due.size === 0) void retire(made)
    }
    const forgotten = async (home: Home) => {
      for await (const lines of journal.kept()) await bringHome(home, lines, log)
      // Of this run, but not of this instance.
      await replayJournals(journals())
    }
    const place = { store, clock, dice, log, instance, folder: installation }
    const validMs = Math.min(longestTrust, writeOffMs)
    const lane = createMoneySync({ ...place, coverMs, validMs, flushed, forgotten, closed: () => void replace(made) })
    const made: Epoch = { instance, lane, journal, due: new Set(), retired: false }
    return made
  }

  async function replace(old: Epoch): Promise<void> {
    old.retired = true
    epoch = undefined
    if (old.due.size === 0) void retire(old)
    while (!ended && !epoch) {
      try {
        // A database that has forgotten this instance may have forgotten what earlier ones replayed.
        await replayJournals(journals())
        const next = await begin()
        if (ended) await next.lane.stop()
        else epoch = next
      } catch (err) {
        log.warn({ err }, 'the accounts cannot be opened anew')
        await clock.sleep(anewMs)
      }
    }
  }

  async function retire({ instance, lane, journal }: Epoch): Promise<void> {
    await lane.stop()
    await journal.close(false)
    writing.delete(`${instance}`)
  }

  async function givenBack({ lane, due, instance }: Epoch): Promise<boolean> {
    const flushed = await lane.flush()
    await lane.stop()
    if (!flushed || due.size > 0) return false
    return closeInstance(store, instance).catch((err: unknown) => {
      log.warn({ err }, 'the slices of this instance stay out until its next start')
      return false
    })
  }

  await replayJournals(journals())
  epoch = await begin()
  return {
    now: () => epoch,
    sweep: () => sweepJournals(journals()),
    async close() {
      ended = true
      const last = epoch
      epoch = undefined
      if (last) await last.journal.close(!(await givenBack(last)))
    },
  }
}
