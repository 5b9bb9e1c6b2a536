/**
 * The refill rule of every lease, for money and limits alike: how much is taken ahead of need, when that is given back, and how long a
 * refusal is remembered. Amounts are whole numbers in the unit of the lease (nano-dollars, tokens, requests, places), times are
 * milliseconds of the monotonic clock. Pure.
 */

/** What differs between kinds of leases. */
export interface RefillRule {
  /** How much traffic one refill should cover, in milliseconds; 0: nothing is taken ahead of need. */
  readonly coverMs: number
  /** Whether a lease in use gives back what it has beyond two steps; otherwise it keeps everything until it is idle. */
  readonly trims: boolean
}

/** The rule's state for one lease. */
export interface Refill {
  readonly rule: RefillRule
  /** How much is taken beyond what is needed: doubled while refills come often. */
  step: bigint
  refilledAt: number
  usedAt: number
  /** Until then nothing is kept ahead of need: another instance requested it, or there is too little for all. */
  conservingUntil: number
  /** A recent refusal: that much or more is refused without asking again. */
  refused: { amount: bigint; until: number } | undefined
}

/** How long a recall lasts, in milliseconds. */
export const conserveMs = 2_000
const idleMs = 3_000
const refusedMs = 100

/** A lease that was never used. */
export const newRefill = (rule: RefillRule): Refill => ({
  rule,
  step: 0n,
  refilledAt: Number.NEGATIVE_INFINITY,
  usedAt: Number.NEGATIVE_INFINITY,
  conservingUntil: Number.NEGATIVE_INFINITY,
  refused: undefined,
})

/** The larger of two amounts. */
export const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)
/** The smaller of two amounts. */
export const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b)

/** Keeps nothing ahead of need until then; never shortens an earlier period. */
export function conserve(refill: Refill, until: number): void {
  refill.conservingUntil = Math.max(refill.conservingUntil, until)
}

/** Whether nothing is kept ahead of need. */
export const isConserving = (refill: Refill, now: number): boolean => now < refill.conservingUntil

/** Whether the lease was used recently. */
export const isInUse = (refill: Refill, now: number): boolean => now - refill.usedAt < idleMs

/** Whether the lease may hold more than is needed at this moment. */
export const keepsAhead = (refill: Refill, now: number): boolean =>
  refill.rule.coverMs > 0 && !isConserving(refill, now) && isInUse(refill, now)

/** Whether `have`, the unclaimed part, is so little that more should be taken for future requests. */
export const needsRefill = (refill: Refill, have: bigint, now: number): boolean =>
  refill.step > 0n && 2n * have < refill.step && keepsAhead(refill, now)

/**
 * How much the lease should hold beyond all claims after its next refill: at least `floor`, and about as much as lasts `coverMs`;
 * 0 while nothing is kept ahead.
 */
export function refillAmount(refill: Refill, floor: bigint, now: number): bigint {
  if (!keepsAhead(refill, now)) return 0n
  const { step, rule } = refill
  const since = now - refill.refilledAt
  const grown = since < rule.coverMs ? step * 2n : since > 5 * rule.coverMs ? step / 2n : step
  return larger(grown, floor)
}

/** The refill has arrived. A step never exceeds what exists, or it would be requested again and again. */
export function refilled(refill: Refill, step: bigint, have: bigint, now: number): void {
  refill.step = smaller(step, larger(0n, have))
  refill.refilledAt = now
}

/** How much of the unclaimed part to give back. */
export function surplus(refill: Refill, spare: bigint, now: number): bigint {
  if (!keepsAhead(refill, now)) return spare
  return refill.rule.trims && spare > 2n * refill.step ? spare - refill.step : 0n
}

/** Records that the database did not have this amount. */
export function rememberRefusal(refill: Refill, amount: bigint, now: number): void {
  refill.refused = { amount, until: now + refusedMs }
}

/** Whether this amount, or less, was refused recently. */
export const isInsufficient = ({ refused }: Refill, amount: bigint, now: number): boolean =>
  refused !== undefined && now < refused.until && amount >= refused.amount
