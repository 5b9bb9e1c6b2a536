/**
 * What this instance holds of one account, and what of that is spoken for. Plain arithmetic without interruption: between a check and
 * the taking nothing else runs. Amounts are nano-dollars, times are milliseconds of the monotonic clock.
 */
import type { BudgetWindow } from './account.ts'
import { needsRefill, newRefill, type Refill, type RefillRule, refillAmount, smaller, surplus } from './refill.ts'

/** The lease of one account. Change it only through the functions below, `money-leases.ts` and `waiting.ts`. */
export interface MoneyLease {
  readonly account: string
  readonly refill: Refill
  /** The terms of a budget, as the last hold named them. */
  budget: BudgetWindow | undefined
  /** The limit that the database was last told. */
  limit: bigint | undefined
  /** More was charged than its limit allows: nothing may be spent until the database has all of it back. */
  overdrawn: boolean
  /** The lease, as the database last said it. */
  leased: bigint
  /** What the database last said that is on nobody's lease. */
  free: bigint
  /** Settled, and not yet acknowledged by the database. */
  owed: bigint
  /** Open holds. */
  held: bigint
  /** What the database was last told of the open holds; undefined: not known. */
  reported: bigint | undefined
  /** What waiting requests are short of here. */
  claimed: bigint
  /** How many requests wait that would be paid from this account. */
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

/** Whether nothing of the lease is left that must be remembered. */
export const isUnused = ({ leased, owed, held, reported, waiting, refill: { refused } }: MoneyLease, now: number): boolean =>
  leased === 0n && owed === 0n && held === 0n && reported === 0n && waiting === 0 && (refused === undefined || now >= refused.until)

/** More than all money that there can be, in nano-dollars; a hundred times as much would not fit into the database. */
export const beyondAllMoney = 10n ** 17n
/** The most that is ever asked for, in nano-dollars. */
const largest = 4n * 10n ** 18n

/** The limit has changed, or more than the limit was charged: the whole lease must go back first. */
const isStale = ({ budget, limit, overdrawn }: MoneyLease) => overdrawn || (budget !== undefined && budget.limit !== limit)
const atLeastNone = (amount: bigint) => (amount > 0n ? amount : 0n)
const unspent = ({ leased, owed, held }: MoneyLease) => atLeastNone(leased - owed - held)

/** What is neither owed nor held. A budget whose limit has changed has none until the database knows the new one. */
export const spareOf = (lease: MoneyLease): bigint => (isStale(lease) ? 0n : unspent(lease))

/** What of the spare money no waiting request claims. */
export const unclaimed = (lease: MoneyLease): bigint => atLeastNone(spareOf(lease) - lease.claimed)

/** The lease is about to be used, under these terms. */
export function use(lease: MoneyLease, budget: BudgetWindow | undefined, now: number): void {
  lease.refill.usedAt = now
  if (lease.budget?.limit !== budget?.limit) lease.refill.refused = undefined
  lease.budget = budget
}

/**
 * How much to ask the database for, in all, and the step that this makes. `first` is what the first waiting request needs; 0 when
 * none waits.
 */
export function moneyWanted(lease: MoneyLease, first: bigint, now: number): { want: bigint; step: bigint } {
  const step = refillAmount(lease.refill, 2n * first, now)
  return { want: smaller(lease.claimed + step - spareOf(lease), largest), step }
}

/** Takes over what the database says of the lease and of what is free in the account. */
export function applyState(lease: MoneyLease, leased: bigint, free: bigint): void {
  lease.leased = leased
  lease.free = atLeastNone(free)
  lease.overdrawn = free < 0n
}

/** What goes back: what is spare, when the lease is idle, another instance needs it, or its limit has changed. */
export function moneySurplus(lease: MoneyLease, now: number): bigint {
  if (isStale(lease)) return unspent(lease)
  return lease.claimed > 0n ? 0n : surplus(lease.refill, spareOf(lease), now)
}

/** A token has a byte at least: no answer costs ten times what four bytes a token make of it. */
const plentyTimes = 10n

/** Whether the account would suffice if every open hold turned out to be too small, however much. */
export const isPlentiful = (lease: MoneyLease): boolean => spareOf(lease) + lease.free >= plentyTimes * lease.held && !isStale(lease)

/** One comparison, which rules out for most holds that more should be taken. */
export const mayBeLow = (lease: MoneyLease): boolean => 2n * (spareOf(lease) - lease.claimed) < lease.refill.step

/** Whether more should be taken for holds to come. */
export const isLow = (lease: MoneyLease, now: number): boolean => needsRefill(lease.refill, spareOf(lease) - lease.claimed, now)
