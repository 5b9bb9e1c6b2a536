/**
 * All slices of this instance: who is paid from them, what to ask the database for, what to give back, and what its answer means. A
 * request is paid from all of its accounts or from none. Knows no database and no timer; `lane.ts` drives it.
 */
import type { BookLine, SyncAnswer, SyncCall } from '#store/leases'
import type { Account } from './account.ts'
import {
  bePoor,
  beThrifty,
  beyondClaims,
  fed,
  hear,
  isHungry,
  isPoor,
  isUnused,
  least,
  newSlice,
  type Slice,
  spareOf,
  surplus,
  use,
} from './slice.ts'
import { createWaitingList, type Waiter, type Waiting } from './waiting.ts'
import { type Wish, wishesAhead, wishesOfWaiting } from './wishes.ts'

export interface Slices {
  /** Holds the amount in all of the accounts, if that is possible without the database. An account: that one cannot pay. */
  take(accounts: readonly Account[], amount: bigint, now: number): boolean | Account
  wait(waiter: Waiter): void
  /** Ends a hold; answers how much of what is owed the leases pay, each of them. */
  settle(accounts: readonly string[], amount: bigint, owed: bigint): bigint
  /** A line is in the database, or never will be. */
  acknowledge(line: BookLine): void
  /** Somebody else needs it: until further notice nothing is kept ahead. False when it is needed here too, or not there. */
  release(account: string, now: number): boolean
  /** There is more of it now. True when somebody here waits for that. */
  replenish(account: string): boolean
  /** Whether there is anything to ask for. */
  hungry(): boolean
  /** Whether the database has not heard yet what is held. */
  unsaid(): boolean
  /** Whether there is nothing at all. */
  empty(): boolean
  /** Whether there is something to spend. */
  stocked(): boolean
  /** What goes back with a call, taken off at once, and what is held; of `all`, or only of what has changed. */
  report(lines: readonly BookLine[], all: boolean, now: number): SyncCall['own']
  wishes(now: number): Wish[]
  /** What the database says; answers the accounts whose money others should give back, if they can. */
  accept(wishes: readonly Wish[], answer: SyncAnswer, now: number): string[]
  /** The leases as they are, after calls whose outcome was unknown. */
  reset(leases: ReadonlyMap<string, bigint>): void
  /** The database cannot answer this: ends the waiting of those it is for. */
  dismiss(wishes: readonly Wish[]): void
  /** The database does not answer: ends the waiting of those who came before; answers how many. */
  refuse(before: number): number
}

/** `coverMs`: how much traffic a slice should cover; 0 takes nothing ahead of need. */
export function createSlices(coverMs: number): Slices {
  const slices = new Map<string, Slice>()
  const hungry = new Set<Slice>()
  /** What has changed since the database was told. */
  const changed = new Set<Slice>()
  const list = createWaitingList(hold)

  function hold(each: Slice, amount: bigint): void {
    each.held += amount
    changed.add(each)
  }

  function sliceOf(account: string): Slice {
    const known = slices.get(account)
    if (known) return known
    const made = newSlice(account)
    slices.set(account, made)
    return made
  }

  function forget(each: Slice): void {
    slices.delete(each.account)
    hungry.delete(each)
  }

  /** The first of a kind was not granted what it needs: refused, unless somebody may still give something back. True while that is open. */
  function mayWait(head: Waiting, poor: Slice, live: number, now: number): boolean {
    if (live > 1) {
      beThrifty(poor, now)
      if (now < head.waiter.until) return true
    }
    const { need } = head.waiter
    bePoor(poor, need, now)
    list.refuse(poor.account, (one) => {
      return one === head || (one.waiter.need >= need && spareOf(poor) < one.waiter.need && one.slices.includes(poor))
    })
    return false
  }

  return {
    take(accounts, amount, now) {
      let enough = true
      for (const { id, budget } of accounts) {
        const each = sliceOf(id)
        use(each, budget, now)
        if (amount === 0n || beyondClaims(each) >= amount) continue
        if (isPoor(each, amount, now)) return { id, ...(budget && { budget }) }
        enough = false
      }
      if (!enough) return false
      for (const { id } of accounts) {
        const each = sliceOf(id)
        hold(each, amount)
        if (isHungry(each, now, coverMs)) hungry.add(each)
      }
      return true
    },
    wait(waiter) {
      for (const { id, budget } of waiter.accounts) use(sliceOf(id), budget, waiter.since)
      const those = waiter.accounts.map(({ id }) => sliceOf(id))
      list.add(waiter, those)
    },
    settle(accounts, amount, owed) {
      const those = accounts.map(sliceOf)
      const beyond = those.map(beyondClaims)
      const covered = least(owed, beyond.reduce(least, beyond[0] ?? 0n) + amount)
      for (const each of those) {
        hold(each, -amount)
        each.owed += covered
        if (covered < amount) each.poor = undefined
      }
      list.serve()
      return covered
    },
    acknowledge({ accounts, covered }) {
      for (const account of accounts) sliceOf(account).owed -= covered
    },
    release(account, now) {
      const mine = slices.get(account)
      if (!mine || mine.claimed > 0n) return false
      beThrifty(mine, now)
      return true
    },
    replenish(account) {
      const mine = slices.get(account)
      if (mine) mine.poor = undefined
      return mine !== undefined && mine.claimed > 0n
    },
    hungry: () => hungry.size > 0 || list.size() > 0,
    unsaid: () => changed.size > 0,
    empty: () => slices.size === 0,
    stocked() {
      for (const each of slices.values()) if (spareOf(each) > 0n) return true
      return false
    },
    report(lines, all, now) {
      const touched = new Set<Slice>(all ? slices.values() : [...changed, ...hungry, ...list.all().flatMap(({ slices }) => slices)])
      for (const { accounts } of lines) for (const account of accounts) touched.add(sliceOf(account))
      changed.clear()
      const own: SyncCall['own'][number][] = []
      for (const each of touched) {
        const { account, held } = each
        const back = surplus(each, now, coverMs)
        each.leased -= back
        if (back > 0n || each.told !== held) own.push({ account, back, held })
        else if (isUnused(each, now)) forget(each)
        each.told = held
      }
      return own
    },
    wishes(now) {
      const waiting = wishesOfWaiting(list, now, coverMs)
      const ahead = wishesAhead(hungry, waiting, now, coverMs)
      hungry.clear()
      return [...waiting, ...ahead]
    },
    accept(wishes, { accounts, refused, live }, now) {
      for (const [account, { leased, free }] of accounts) {
        const each = sliceOf(account)
        hear(each, leased, free)
        if (each.overdrawn && leased > 0n) changed.add(each)
      }
      for (const { parts } of wishes) {
        for (const { slice, budget, ahead } of parts) {
          slice.limit = budget?.limit
          fed(slice, ahead, now)
        }
      }
      list.serve()
      const short: string[] = []
      for (const [n, { head }] of wishes.entries()) {
        const poor = refused.get(n)
        if (poor !== undefined && head && list.has(head) && mayWait(head, sliceOf(poor), live, now)) short.push(poor)
      }
      return short
    },
    reset(leases) {
      for (const each of slices.values()) {
        each.leased = 0n
        each.told = undefined
        changed.add(each)
      }
      for (const [account, amount] of leases) sliceOf(account).leased = amount
    },
    dismiss(wishes) {
      const heads = new Set(wishes.map(({ head }) => head))
      list.refuse(undefined, (one) => heads.has(one))
    },
    refuse(before) {
      const those = new Set(list.all().filter(({ waiter }) => waiter.since <= before))
      list.refuse(undefined, (one) => those.has(one))
      return those.size
    },
  }
}
