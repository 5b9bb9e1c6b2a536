/**
 * What this instance has of one account, and how much of that is committed. Synchronous arithmetic: nothing else runs between a check
 * and the taking. Amounts are nano-dollars, times are milliseconds of the monotonic clock.
 */
import type { BudgetWindow } from './account.ts'
import { needsRefill, newRefill, type Refill, type RefillRule, refillAmount, smaller, surplus } from './refill.ts'

/** The lease of one account. Change it only through the functions below, `money-leases.ts` and `waiting.ts`. */
export interface MoneyLease {
  readonly account: string
  readonly refill: Refill
  /** The terms of a budget, from the last hold. */
  budget: BudgetWindow | undefined
  /** The limit last sent to the database. */
  limit: bigint | undefined
  /** More was charged than its limit allows: nothing may be spent until the database has all of it back. */
  overdrawn: boolean
  /** The lease, as last reported by the database. */
  leased: bigint
  /** The unleased amount, as last reported by the database. */
  free: bigint
  /** Settled, and not yet acknowledged by the database. */
  owed: bigint
  /** Open holds. */
  held: bigint
  /** The open holds last sent to the database; undefined: unknown. */
  reported: bigint | undefined
  /** Shortfall of the waiting requests here. */
  claimed: bigint
  /** Number of waiting requests that this account would pay. */
  waiting: number
}

/** An empty lease of an account. */
export const newMoneyLease = (account: string, rule: RefillRule): MoneyLease => ({
  account,
  refill: newRefill(rule),
  budget: undefined,
  limit: undefined,
  overdrawn: false,
  leased: 0n,
  free: 0n,
  owed: 0n,
  held: 0n,
  reported: 0n,
  claimed: 0n,
  waiting: 0,
})

/** Whether the lease has no state left to keep. */
export const isUnused = ({ leased, owed, held, reported, waiting, refill: { refused } }: MoneyLease, now: number): boolean =>
  leased === 0n && owed === 0n && held === 0n && reported === 0n && waiting === 0 && (refused === undefined || now >= refused.until)

/** More than any possible amount of money, in nano-dollars; a hundred times as much would not fit into the database. */
export const beyondAllMoney = 10n ** 17n
/** Most that is ever requested, in nano-dollars. */
const largest = 4n * 10n ** 18n

/** The limit has changed, or more than the limit was charged: the whole lease must go back first. */
const isStale = ({ budget, limit, overdrawn }: MoneyLease) => overdrawn || (budget !== undefined && budget.limit !== limit)
const atLeastNone = (amount: bigint) => (amount > 0n ? amount : 0n)
const unspent = ({ leased, owed, held }: MoneyLease) => atLeastNone(leased - owed - held)

/** What is neither owed nor held. A budget whose limit has changed has none until the database knows the new one. */
export const spareOf = (lease: MoneyLease): bigint => (isStale(lease) ? 0n : unspent(lease))

/** Spare money that no waiting request claims. */
export const unclaimed = (lease: MoneyLease): bigint => atLeastNone(spareOf(lease) - lease.claimed)

/** The lease is about to be used, under these terms. */
export function use(lease: MoneyLease, budget: BudgetWindow | undefined, now: number): void {
  lease.refill.usedAt = now
  if (lease.budget?.limit !== budget?.limit) lease.refill.refused = undefined
  lease.budget = budget
}

/**
 * How much to request from the database in total, and the step this implies. `first` is what the first waiting request needs; 0 when
 * none waits.
 */
export function moneyWanted(lease: MoneyLease, first: bigint, now: number): { want: bigint; step: bigint } {
  const step = refillAmount(lease.refill, 2n * first, now)
  return { want: smaller(lease.claimed + step - spareOf(lease), largest), step }
}

/** Applies the database's state of the lease and of the free part of the account. */
export function applyState(lease: MoneyLease, leased: bigint, free: bigint): void {
  lease.leased = leased
  lease.free = atLeastNone(free)
  lease.overdrawn = free < 0n
}

/** What to give back: the spare part, when the lease is idle, another instance needs it, or its limit has changed. */
export function moneySurplus(lease: MoneyLease, now: number): bigint {
  if (isStale(lease)) return unspent(lease)
  return lease.claimed > 0n ? 0n : surplus(lease.refill, spareOf(lease), now)
}

/** A token has at least one byte: no answer costs ten times the estimate at four bytes per token. */
const plentyTimes = 10n

/** Whether the account would suffice if every open hold turned out to be too small, however much. */
export const isPlentiful = (lease: MoneyLease): boolean => spareOf(lease) + lease.free >= plentyTimes * lease.held && !isStale(lease)

/** One comparison that settles for most holds that nothing more need be taken. */
export const mayBeLow = (lease: MoneyLease): boolean => 2n * (spareOf(lease) - lease.claimed) < lease.refill.step

/** Whether to take more for future holds. */
export const isLow = (lease: MoneyLease, now: number): boolean => needsRefill(lease.refill, spareOf(lease) - lease.claimed, now)
