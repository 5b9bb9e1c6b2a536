/**
 * All slices of this instance: who waits, what to ask the database for, what to give back, and what its answer means for each of
 * them. Knows no database and no timer; `lane.ts` drives it.
 */
import type { BookLine, LeaseState } from '#store/leases'
import {
  type Appetite,
  appetite,
  beThrifty,
  fed,
  isHungry,
  isUnused,
  newSlice,
  type Slice,
  serve,
  settle,
  surplus,
  take,
  type Waiter,
} from './slice.ts'

export interface Wish extends Appetite {
  wallet: string
  /** Who was first in the queue when this was asked. */
  head: Waiter | undefined
}

export interface Slices {
  /** Holds the amount, if that is possible without the database. */
  take(wallet: string, amount: bigint, now: number): boolean
  wait(wallet: string, waiter: Waiter): void
  /** Ends a hold; answers how much of what is owed the lease pays. */
  settle(wallet: string, amount: bigint, owed: bigint): bigint
  /** A line is in the database, or never will be. */
  acknowledge(line: BookLine): void
  /** Somebody else needs it: until further notice nothing is kept ahead. False when it is needed here too, or not there. */
  release(wallet: string, now: number): boolean
  /** Whether there is anything to ask for. */
  hungry(): boolean
  /** Whether there is nothing at all. */
  empty(): boolean
  /** What goes back with a call, taken off at once. `all`: every slice is looked at, not only those of these lines. */
  gifts(lines: readonly BookLine[], all: boolean, now: number): { wallet: string; amount: bigint }[]
  wishes(now: number): Wish[]
  /** What the database says; answers the wallets whose money others should give back, if they can. */
  accept(wishes: readonly Wish[], answer: ReadonlyMap<string, LeaseState>, now: number): string[]
  /** The leases as they are, after calls whose outcome was unknown. */
  reset(leases: ReadonlyMap<string, bigint>): void
  /** The database does not answer: ends the waiting of those who came before. */
  refuse(before: number): void
}

/** Milliseconds that others have to give something back. */
const patienceMs = 250

/** `coverMs`: how much traffic a slice should cover; 0 takes nothing ahead of need. */
export function createSlices(coverMs: number): Slices {
  const slices = new Map<string, Slice>()
  const hungry = new Set<Slice>()

  function slice(wallet: string): Slice {
    const known = slices.get(wallet)
    if (known) return known
    const made = newSlice(wallet)
    slices.set(wallet, made)
    return made
  }

  /** The first in the queue was not served: refused, unless somebody may still give something back. True while that is open. */
  function mayWait(each: Slice, head: Waiter, found: LeaseState | undefined, now: number): boolean {
    if (found !== undefined && found.live > 1) {
      beThrifty(each, now)
      if (now - head.since < patienceMs) return true
    }
    each.waiting.shift()
    head.refused('poor')
    serve(each)
    return false
  }

  return {
    take(wallet, amount, now) {
      const mine = slice(wallet)
      if (!take(mine, amount, now)) return false
      if (isHungry(mine, now, coverMs)) hungry.add(mine)
      return true
    },
    wait(wallet, waiter) {
      const mine = slice(wallet)
      mine.waiting.push(waiter)
      mine.lastUse = waiter.since
      hungry.add(mine)
    },
    settle: (wallet, amount, owed) => settle(slice(wallet), amount, owed),
    acknowledge({ wallet, covered }) {
      if (wallet !== undefined) slice(wallet).owed -= covered
    },
    release(wallet, now) {
      const mine = slices.get(wallet)
      if (!mine || mine.waiting.length > 0) return false
      beThrifty(mine, now)
      return true
    },
    hungry: () => hungry.size > 0,
    empty: () => slices.size === 0,
    gifts(lines, all, now) {
      const touched = new Set<Slice>(all ? slices.values() : hungry)
      for (const { wallet } of lines) if (wallet !== undefined) touched.add(slice(wallet))
      const give = []
      for (const each of touched) {
        const amount = surplus(each, now, coverMs)
        each.leased -= amount
        if (amount > 0n) give.push({ wallet: each.wallet, amount })
        else if (isUnused(each)) slices.delete(each.wallet)
      }
      return give
    },
    wishes(now) {
      const wishes: Wish[] = []
      for (const each of hungry) {
        if (isHungry(each, now, coverMs)) wishes.push({ ...appetite(each, now, coverMs), wallet: each.wallet, head: each.waiting[0] })
      }
      hungry.clear()
      return wishes
    },
    accept(wishes, answer, now) {
      for (const [wallet, { leased }] of answer) slice(wallet).leased = leased
      const short: string[] = []
      for (const wish of wishes) {
        const each = slice(wish.wallet)
        fed(each, wish, now)
        serve(each)
        const head = each.waiting[0]
        if (head && head === wish.head && mayWait(each, head, answer.get(each.wallet), now)) short.push(each.wallet)
        if (each.waiting.length > 0) hungry.add(each)
      }
      return short
    },
    reset(leases) {
      for (const each of slices.values()) each.leased = 0n
      for (const [wallet, amount] of leases) slice(wallet).leased = amount
    },
    refuse(before) {
      for (const each of slices.values()) {
        const gone = each.waiting.filter(({ since }) => since <= before)
        each.waiting = each.waiting.filter(({ since }) => since > before)
        for (const waiter of gone) waiter.refused('silent')
        if (each.waiting.length > 0) hungry.add(each)
      }
    },
  }
}
