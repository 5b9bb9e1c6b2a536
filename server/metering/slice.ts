/**
 * What this instance holds of one account, and what of that is spoken for. Plain arithmetic, done in one go: whoever checks and
 * takes here is not interrupted. Amounts are nano-dollars, times are milliseconds of the monotonic clock.
 */
import type { BudgetWindow } from './account.ts'

export interface Slice {
  readonly account: string
  /** The terms of a budget, as the last hold named them. */
  budget: BudgetWindow | undefined
  /** The limit that the database was last told. */
  limit: bigint | undefined
  /** More was charged than its limit allows: nothing may be spent until the database has all of it back. */
  overdrawn: boolean
  /** The lease, as the database last said it. */
  leased: bigint
  /** Settled, and not yet acknowledged. */
  owed: bigint
  /** Open holds. */
  held: bigint
  /** Of that, what the database was told; undefined: not known. */
  told: bigint | undefined
  /** What those who wait are short of here. */
  claimed: bigint
  /** How many wait who would be paid from this account. */
  waiting: number
  /** How much is taken beyond what is needed: doubled while takes come often. */
  step: bigint
  lastTake: number
  lastUse: number
  /** Until then nothing is kept that nobody needs: somebody else asked for it, or there is too little for all. */
  thriftyUntil: number
  /** What could not be paid a moment ago: so much or more is refused without asking again. */
  poor: { need: bigint; until: number } | undefined
}

/** Milliseconds. */
const thriftyMs = 2_000
const idleMs = 3_000
const poorMs = 100

export const newSlice = (account: string): Slice => ({
  account,
  budget: undefined,
  limit: undefined,
  overdrawn: false,
  leased: 0n,
  owed: 0n,
  held: 0n,
  told: 0n,
  claimed: 0n,
  waiting: 0,
  step: 0n,
  lastTake: Number.NEGATIVE_INFINITY,
  lastUse: Number.NEGATIVE_INFINITY,
  thriftyUntil: Number.NEGATIVE_INFINITY,
  poor: undefined,
})

/** Nothing of it is left that must be remembered. */
export const isUnused = ({ leased, owed, held, told, waiting, poor }: Slice, now: number): boolean =>
  leased === 0n && owed === 0n && held === 0n && told === 0n && waiting === 0 && (poor === undefined || now >= poor.until)

/** More than all money that there can be, in nano-dollars; a hundred times as much would not fit into the database. */
export const beyondAllMoney = 10n ** 17n
/** No slice is larger. */
const largest = 4n * 10n ** 18n

const most = (a: bigint, b: bigint) => (a > b ? a : b)
export const least = (a: bigint, b: bigint): bigint => (a < b ? a : b)

/** What is neither owed nor held. A budget that must be reckoned anew has none. */
export const spareOf = (slice: Slice): bigint => (isStale(slice) ? 0n : most(0n, slice.leased - slice.owed - slice.held))
/** What of it nobody waits for. */
export const beyondClaims = (slice: Slice): bigint => most(0n, spareOf(slice) - slice.claimed)
/** The limit has changed, or is passed. */
const isStale = ({ budget, limit, overdrawn }: Slice) => overdrawn || (budget !== undefined && budget.limit !== limit)

const isThrifty = (slice: Slice, now: number) => now < slice.thriftyUntil
const isInUse = (slice: Slice, now: number) => now - slice.lastUse < idleMs

/** Is about to be used, under these terms. */
export function use(slice: Slice, budget: BudgetWindow | undefined, now: number): void {
  slice.lastUse = now
  if (slice.budget?.limit !== budget?.limit) slice.poor = undefined
  slice.budget = budget
}

/** Whether this amount, or less, was refused a moment ago. */
export const isPoor = ({ poor }: Slice, amount: bigint, now: number): boolean =>
  poor !== undefined && now < poor.until && amount >= poor.need

export function bePoor(slice: Slice, need: bigint, now: number): void {
  slice.poor = { need, until: now + poorMs }
}

export function beThrifty(slice: Slice, now: number): void {
  slice.thriftyUntil = now + thriftyMs
}

/** Wants more than it has, for those who will come. `coverMs` 0: never ahead. */
export const isHungry = (slice: Slice, now: number, coverMs: number): boolean =>
  coverMs > 0 && slice.step > 0n && spareOf(slice) - slice.claimed < slice.step / 2n && !isThrifty(slice, now) && isInUse(slice, now)

/**
 * How much to ask the database for, for those who wait and ahead of those who will come: `first` is what the first of them needs. The
 * step grows until a slice lasts about as long as it should cover.
 */
export function appetite(slice: Slice, first: bigint, now: number, coverMs: number): { want: bigint; ahead: bigint } {
  const since = now - slice.lastTake
  const grown = since < coverMs ? slice.step * 2n : since > 5 * coverMs ? slice.step / 2n : slice.step
  const ahead = coverMs === 0 || isThrifty(slice, now) ? 0n : most(grown, 2n * first)
  return { want: least(slice.claimed + ahead - spareOf(slice), largest), ahead }
}

/** The database has spoken. */
export function hear(slice: Slice, leased: bigint, free: bigint): void {
  slice.leased = leased
  slice.overdrawn = free < 0n
}

/** After the answer to that, before anybody is served. A step never exceeds what there was, or it would be asked for again and again. */
export function fed(slice: Slice, ahead: bigint, now: number): void {
  slice.step = least(ahead, spareOf(slice))
  slice.lastTake = now
}

/** What may go back: what is spare, when it is idle, somebody else needs it, or it must be reckoned anew. */
export function surplus(slice: Slice, now: number, coverMs: number): bigint {
  const spare = most(0n, slice.leased - slice.owed - slice.held)
  if (isStale(slice)) return spare
  if (slice.claimed > 0n || (coverMs > 0 && !isThrifty(slice, now) && isInUse(slice, now))) return 0n
  return spare
}
