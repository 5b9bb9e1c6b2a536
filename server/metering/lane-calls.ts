/**
 * The calls of one instance, numbered: a call that was given up and arrives late has a smaller number than its followers and does
 * nothing. Each says which was the last that was answered, so that a database which has lost that one is found out.
 */
import type { Clock } from '#runtime/clock'
import { linesNotInBooks, type Resynced, resyncLeases, type SyncAnswer, type SyncCall, syncBooks } from '#store/leases'
import type { Store } from '#store/store'
import type { Home } from './bring-home.ts'
import { within } from './within.ts'

export interface LanePlace {
  store: Store
  clock: Clock
  instance: bigint
  /** Which installation the instance belongs to. */
  folder: string
}

/** A call without what is filled in here. */
export type LaneCall = Omit<SyncCall, 'instance' | 'seq' | 'heard'>

export interface LaneCalls {
  /** Rejects with `isFenced` when the instance was closed or the database has forgotten, `books_unavailable` when there is no answer. */
  sync(call: LaneCall): Promise<SyncAnswer>
  /**
   * Whatever was sent before can no longer happen, and these are the leases; undefined when the instance has been closed. A database
   * that has lost commits is brought them again first, by `again`.
   */
  resync(again: (home: Home) => Promise<void>): Promise<ReadonlyMap<string, bigint> | undefined>
  /** Whether the database has all that it ever had, as far as is known: otherwise nobody may spend what memory says. */
  isWhole(): boolean
}

/** Milliseconds. */
const callMs = 2_000

export function createLaneCalls({ store, clock, instance, folder }: LanePlace): LaneCalls {
  let seq = 0n
  let heard = 0n
  let whole = true

  async function sync(call: LaneCall): Promise<SyncAnswer> {
    const mine = ++seq
    const answer = await within(clock, callMs, syncBooks(store, { ...call, instance, seq: mine, heard }))
    heard = mine
    return answer
  }

  async function look(): Promise<Resynced> {
    const mine = ++seq
    const now = await within(clock, callMs, resyncLeases(store, { instance, seq: mine, heard, folder }))
    if (now.forgot) {
      heard = 0n
      whole = false
    } else if (now.leases) heard = mine
    return now
  }

  const home: Home = {
    missing: (lines) => within(clock, callMs, linesNotInBooks(store, lines)),
    write: (lines) => sync({ lines, own: [], ask: [], replay: true }),
  }

  return {
    sync,
    async resync(again) {
      const { leases } = await look()
      if (whole) return leases
      await again(home)
      whole = true
      return (await look()).leases
    },
    isWhole: () => whole,
  }
}
