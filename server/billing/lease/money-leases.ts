/**
 * All money leases of this instance: which holds they pay, what to request from the database, what to give back, and how to apply its
 * answer. A hold is paid from all of its accounts or from none. Knows neither database nor timer: `money-sync.ts` drives it.
 * Amounts are nano-dollars, times milliseconds of the monotonic clock.
 */
import type { BookLine } from '#store/ledger/book-line'
import type { AskedPart, SyncAnswer, SyncCall } from '#store/ledger/leases'
import type { Account } from './account.ts'
import { type LeaseLevels, leaseLevels } from './lease-levels.ts'
import { type HoldRequest, type LeaseRequest, type Refusal, requestsAhead, requestsOfWaiting, type WaitingHold } from './lease-requests.ts'
import {
  applyState,
  isLow,
  isPlentiful,
  isUnused,
  type MoneyLease,
  mayBeLow,
  moneySurplus,
  newMoneyLease,
  spareOf,
  unclaimed,
  use,
} from './money-lease.ts'
import { conserve, conserveMs, isInsufficient, refilled, rememberRefusal, smaller } from './refill.ts'
import { createWaitingList } from './waiting.ts'

/** Most accounts to which one call gives something back. */
const mostReturned = 200
/** More waiting holds than this are a crowd. */
const crowd = 8

/** Who paid for a finished request, and how much of it the leases here paid. */
export type PaidLine = Pick<BookLine, 'accounts' | 'covered'>

/** All money leases of one instance. */
export interface MoneyLeases {
  /** Holds the amount in all of the accounts. False: the database must be asked first. An account: that one cannot pay. */
  take(accounts: readonly Account[], amount: bigint, now: number): boolean | Account
  /** Queues a hold that could not be taken. */
  wait(hold: HoldRequest): void
  /** Ends a hold; returns how much of the owed amount the leases pay, each of them. */
  settle(accounts: readonly string[], amount: bigint, owed: bigint): bigint
  /** A line is in the database, or never will be. */
  acknowledge(line: PaidLine): void
  /** Another instance needs it: nothing is kept ahead for a while. False when it is needed here too, or unknown here. */
  release(account: string, now: number): boolean
  /** There is more of it now. True when a hold here waits for that. */
  replenish(account: string): boolean
  /** Whether all of these accounts have many times what is held of them: then a running answer's cost need not be known exactly. */
  arePlentiful(accounts: readonly string[]): boolean
  /** Whether leases are low. */
  hasLow(): boolean
  /** Whether there is anything to ask the database for. */
  needsRefill(): boolean
  /** Whether open holds have changed since the last report to the database. */
  hasUnreported(): boolean
  isEmpty(): boolean
  /** What is on lease now. Iterates over every lease. */
  levels(): LeaseLevels
  /** Whether there is something to spend. */
  hasMoney(): boolean
  /** What a call gives back (deducted at once), and what is held; for `all` leases, or only for changed ones. */
  report(lines: readonly PaidLine[], all: boolean, now: number): SyncCall['own']
  /** What to request in a call that can handle about `most` accounts. */
  leaseRequests(now: number, most?: number): LeaseRequest[]
  /** Whether so many holds wait that lines should be sent without them. */
  isCrowded(): boolean
  /** Whether a waiting hold was not requested yet. */
  isBehind(): boolean
  /** Applies the answer; returns the accounts to recall from other instances. */
  accept(requests: readonly LeaseRequest[], answer: SyncAnswer, now: number): string[]
  /** What open holds and unwritten ends need beyond these leases: a database that lost commits may have leased it to anyone or no one. */
  shortOf(leases: ReadonlyMap<string, bigint>): AskedPart[]
  /** Replaces the leases by the database's, after calls with an unknown outcome. */
  reset(leases: ReadonlyMap<string, bigint>): void
  /** The database cannot process these: refuses the holds that they are for. */
  dismiss(requests: readonly LeaseRequest[]): void
  /** The database does not answer: refuses the holds that began waiting at `before` or earlier; returns how many. */
  refuse(before: number): number
}

/**
 * `coverMs`: how much traffic a lease should cover, in milliseconds; 0 takes nothing ahead of need. `maySpend`: whether leases may be
 * spent now; no waiting hold is served while they may not. The caller must call `take` only when they may.
 */
export function createMoneyLeases(coverMs: number, maySpend: () => boolean = () => true): MoneyLeases {
  const rule = { coverMs, trims: false }
  const leases = new Map<string, MoneyLease>()
  /** Leases that may need a refill. */
  const low = new Set<MoneyLease>()
  /** Leases changed since the last report to the database. */
  const changed = new Set<MoneyLease>()
  const waiting = createWaitingList<MoneyLease, Refusal, WaitingHold>({
    spare: spareOf,
    claims: 'shortfalls',
    isOpen: maySpend,
  })

  function hold(lease: MoneyLease, amount: bigint): void {
    lease.held += amount
    changed.add(lease)
  }

  function leaseOf(account: string): MoneyLease {
    const known = leases.get(account)
    if (known) return known
    const made = newMoneyLease(account, rule)
    leases.set(account, made)
    return made
  }

  function forget(lease: MoneyLease): void {
    leases.delete(lease.account)
    low.delete(lease)
  }

  /** A hold was not granted what it needs: refused, unless another instance may still give something back. True while that is possible. */
  function mayWait(head: WaitingHold, lease: MoneyLease, live: number, now: number): boolean {
    if (live > 1) {
      conserve(lease.refill, now + conserveMs)
      if (now < head.until) return true
    }
    const { amount } = head
    rememberRefusal(lease.refill, amount, now)
    const isHopeless = (one: WaitingHold) =>
      one === head || (one.amount >= amount && spareOf(lease) < one.amount && one.needs.some((need) => need.lease === lease))
    waiting.refuse((one) => (isHopeless(one) ? { account: one.accounts.find(({ id }) => id === lease.account) } : undefined))
    return false
  }

  return {
    take(accounts, amount, now) {
      let isCovered = true
      for (const { id, budget } of accounts) {
        const lease = leaseOf(id)
        use(lease, budget, now)
        if (amount <= unclaimed(lease)) continue
        isCovered = false
        if (isInsufficient(lease.refill, amount, now)) return { id, ...(budget && { budget }) }
      }
      if (!isCovered) return false
      for (const { id } of accounts) {
        const lease = leaseOf(id)
        hold(lease, amount)
        if (mayBeLow(lease) && isLow(lease, now)) low.add(lease)
      }
      return true
    },
    wait({ accounts, amount, since, until, served, refused }) {
      const needs = accounts.map(({ id, budget }) => {
        const lease = leaseOf(id)
        use(lease, budget, since)
        return { lease, amount }
      })
      waiting.add({
        accounts,
        amount,
        since,
        until,
        needs,
        kind: accounts.map(({ id }) => id).join('\n'),
        asked: 0,
        served() {
          for (const { lease } of needs) hold(lease, amount)
          served()
        },
        refused: ({ account }) => refused(account),
      })
    },
    settle(accounts, amount, owed) {
      const mine = accounts.map(leaseOf)
      const beyond = mine.map(unclaimed)
      const covered = smaller(owed, beyond.reduce(smaller, beyond[0] ?? 0n) + amount)
      for (const lease of mine) {
        hold(lease, -amount)
        lease.owed += covered
        if (covered < amount) lease.refill.refused = undefined
      }
      if (mine.some((lease) => lease.waiting > 0)) waiting.serve(mine)
      return covered
    },
    acknowledge({ accounts, covered }) {
      for (const account of accounts) leaseOf(account).owed -= covered
    },
    release(account, now) {
      const mine = leases.get(account)
      if (!mine || mine.claimed > 0n) return false
      conserve(mine.refill, now + conserveMs)
      return true
    },
    replenish(account) {
      const mine = leases.get(account)
      if (mine) mine.refill.refused = undefined
      return mine !== undefined && mine.claimed > 0n
    },
    isCrowded: () => waiting.size() > crowd,
    isBehind: () => waiting.all().some(({ asked }) => asked === 0),
    arePlentiful: (accounts) => accounts.every((account) => isPlentiful(leaseOf(account))),
    hasLow: () => low.size > 0,
    needsRefill: () => low.size > 0 || waiting.size() > 0,
    hasUnreported: () => changed.size > 0,
    isEmpty: () => leases.size === 0,
    levels: () => leaseLevels(leases.values(), waiting.size()),
    hasMoney() {
      for (const lease of leases.values()) if (spareOf(lease) > 0n) return true
      return false
    },
    report(lines, all, now) {
      const touched = new Set<MoneyLease>(all ? leases.values() : changed)
      if (!all) {
        for (const lease of low) touched.add(lease)
        for (const { needs } of waiting.all()) for (const { lease } of needs) touched.add(lease)
      }
      for (const { accounts } of lines) for (const account of accounts) touched.add(leaseOf(account))
      changed.clear()
      const own: SyncCall['own'][number][] = []
      let returned = 0
      for (const lease of touched) {
        const { account, held } = lease
        // Later calls give back the rest.
        if (returned >= mostReturned && moneySurplus(lease, now) > 0n) {
          changed.add(lease)
          continue
        }
        const back = moneySurplus(lease, now)
        if (back > 0n) returned += 1
        lease.leased -= back
        if (back > 0n || lease.reported !== held) own.push({ account, back, held })
        else if (isUnused(lease, now)) forget(lease)
        lease.reported = held
      }
      return own
    },
    leaseRequests(now, most = Number.POSITIVE_INFINITY) {
      if (low.size === 0 && waiting.size() === 0) return []
      const needed = requestsOfWaiting(waiting.all(), now, most)
      const ahead = requestsAhead(low, needed, now, most)
      return [...needed, ...ahead]
    },
    accept(requests, { accounts, refused, live }, now) {
      for (const [account, { leased, free }] of accounts) {
        const lease = leaseOf(account)
        applyState(lease, leased, free)
        // Others may need what is leased here; an instance whose notifications are lost receives no recall.
        if (live > 1 && free < leased) conserve(lease.refill, now + conserveMs)
        if (lease.overdrawn && leased > 0n) changed.add(lease)
      }
      for (const { parts } of requests) {
        for (const { lease, budget, step } of parts) {
          lease.limit = budget?.limit
          // Before anyone is served: what they take counts as having been available.
          refilled(lease.refill, step, spareOf(lease), now)
        }
      }
      waiting.serve()
      const scarce: string[] = []
      for (const [n, { head }] of requests.entries()) {
        const lacking = refused.get(n)
        if (lacking !== undefined && head && waiting.has(head) && mayWait(head, leaseOf(lacking), live, now)) scarce.push(lacking)
      }
      return scarce
    },
    shortOf(amounts) {
      return [...leases.values()].flatMap(({ account, held, owed, budget }) => {
        const need = held + owed - (amounts.get(account) ?? 0n)
        return need > 0n ? [{ account, need, want: need, budget }] : []
      })
    },
    reset(amounts) {
      for (const lease of leases.values()) {
        lease.leased = 0n
        lease.reported = undefined
        changed.add(lease)
      }
      for (const [account, amount] of amounts) leaseOf(account).leased = amount
    },
    dismiss(requests) {
      const heads = new Set(requests.map(({ head }) => head))
      waiting.refuse((one) => (heads.has(one) ? { account: undefined } : undefined))
    },
    refuse: (before) => waiting.refuse(({ since }) => (since <= before ? { account: undefined } : undefined)),
  }
}
