/**
 * The numbered calls about the money of one instance: an abandoned call that arrives late has a smaller number than its
 * successors and has no effect. Each call names the last answered one, so that a database which has lost that one is detected.
 */

import type { EncodedLine } from '#billing/journal/encoded-line'
import { callMs, unavailable } from '#billing/lease/with-timeout'
import type { Clock, Random } from '#runtime/clock'
import type { Log } from '#runtime/log'
import type { Store } from '#store/engine/store'
import type { AskedPart, Resynced, SyncAnswer } from '#store/ledger/leases'
import type { BooksDatabase, EncodedCall } from './books-database.ts'
import type { WriteBackTarget } from './write-back.ts'

/** Where an instance keeps its accounts. */
export interface DatabasePlace {
  database: BooksDatabase
  instance: bigint
  /** Installation that the instance belongs to. */
  folder: string
}

/** Options of `money-sync.ts`. */
export interface MoneySyncOptions extends Omit<DatabasePlace, 'database'> {
  /** For what does not go through `database`: messages to the other instances. */
  store: Store
  /** Absent: the store's, on this thread. */
  database?: BooksDatabase
  clock: Clock
  random: Random
  log: Log
  /** How much traffic a lease should cover, in milliseconds; 0: nothing is taken ahead of need. */
  coverMs: number
  /** For how many milliseconds leases may be spent after the last answer of the database. */
  validMs: number
  /** How many milliseconds lines may wait to be sent with others; 0: none waits. */
  lingerMs: number
  /** The database has the line, or never will. */
  flushed(line: EncodedLine): void
  /** Called before lines go to the database; when it returns they are in the journal. */
  writeDown?(): void
  /** Called with the nano-dollars that a call has charged. */
  charged?(amount: bigint): void
  /** The database has lost its last commits: everything it may have had must be written back before anything else. */
  forgotten(target: WriteBackTarget): Promise<void>
  /** Another instance has closed this one: its leases are gone, its lines are still sent. */
  closed(): void
}

/** A call without its numbers, which are filled in here. */
export type MoneyCall = Omit<EncodedCall, 'instance' | 'seq' | 'heard'>

/** The calls of one instance. */
export interface MoneyCalls {
  /** Rejects with `isFenced` when the instance was closed or the database lost commits, `books_unavailable` when there is no answer. */
  sync(call: MoneyCall): Promise<SyncAnswer>
  /**
   * No earlier call can take effect any more, and `reset` gets the leases in nano-dollars; false when the instance has been
   * closed. Where the database has lost commits, `again` first writes them back, and `shortOf` returns what open holds need beyond the
   * leases there: it is taken before any other instance may take.
   */
  resync(
    again: (target: WriteBackTarget) => Promise<void>,
    shortOf: (leases: ReadonlyMap<string, bigint>) => readonly AskedPart[],
    reset: (leases: ReadonlyMap<string, bigint>) => void,
  ): Promise<boolean>
  /** False while the database is known to lack commits: until then leases in memory may not be spent. */
  readonly whole: boolean
}

/** Accounts per call when retaking what open holds need. */
const takenAtOnce = 100

/** Numbers begin at 1. */
export function createMoneyCalls({ database, instance, folder }: DatabasePlace): MoneyCalls {
  let seq = 0n
  let acknowledged = 0n

  async function sync(call: MoneyCall): Promise<SyncAnswer> {
    const mine = ++seq
    const answer = await database.sync({ ...call, instance, seq: mine, acknowledged }, callMs)
    acknowledged = mine
    return answer
  }

  async function look(): Promise<Resynced> {
    const mine = ++seq
    const now = await database.resync({ instance, seq: mine, acknowledged, folder }, callMs)
    if (now.forgot) {
      acknowledged = 0n
      calls.whole = false
    } else if (now.leases) acknowledged = mine
    return now
  }

  const target: WriteBackTarget = {
    missing: (lines) => database.missing(lines, callMs),
    write: (lines) => sync({ lines, own: [], ask: [], replay: true }),
  }

  const calls: MoneyCalls & { whole: boolean } = {
    sync,
    async resync(again, shortOf, reset) {
      const { leases } = await look()
      if (calls.whole) {
        if (leases) reset(leases)
        return leases !== undefined
      }
      await again(target)
      const left = leases && (await look()).leases
      const short = left ? shortOf(left) : []
      for (let at = 0; at < short.length; at += takenAtOnce) {
        const ask = short.slice(at, at + takenAtOnce).map((part) => [part])
        await sync({ lines: [], own: [], ask, again: true })
      }
      await database.endTelling(instance)
      const state = await look()
      if (state.forgot) throw unavailable()
      // The leases in memory are from before the loss: both must be replaced in the same turn.
      if (state.leases) reset(state.leases)
      calls.whole = true
      return state.leases !== undefined
    },
    whole: true,
  }
  return calls
}
