/**
 * What this instance holds of one wallet, and what of that is spoken for. Plain arithmetic, done in one go: whoever checks and
 * takes here is not interrupted. Amounts are nano-dollars, times are milliseconds of the monotonic clock.
 */

export interface Waiter {
  need: bigint
  since: number
  served(): void
  /** The wallet cannot pay, or the database does not say. */
  refused(why: 'poor' | 'silent'): void
}

export interface Slice {
  readonly wallet: string
  /** The lease, as the database last said it. */
  leased: bigint
  /** Settled, and not yet acknowledged. */
  owed: bigint
  /** Open holds. */
  held: bigint
  /** How much is taken beyond what is needed: doubled while takes come often. */
  step: bigint
  lastTake: number
  lastUse: number
  /** Until then nothing is kept that nobody needs: somebody else asked for it, or there is too little for all. */
  thriftyUntil: number
  /** In the order of their coming. */
  waiting: Waiter[]
}

/** Milliseconds. */
const thriftyMs = 2_000
export const idleMs = 3_000

export const newSlice = (wallet: string): Slice => ({
  wallet,
  leased: 0n,
  owed: 0n,
  held: 0n,
  step: 0n,
  lastTake: Number.NEGATIVE_INFINITY,
  lastUse: Number.NEGATIVE_INFINITY,
  thriftyUntil: Number.NEGATIVE_INFINITY,
  waiting: [],
})

export const isUnused = (slice: Slice): boolean =>
  slice.leased === 0n && slice.owed === 0n && slice.held === 0n && slice.waiting.length === 0

export const spareOf = ({ leased, owed, held }: Slice): bigint => leased - owed - held
const most = (a: bigint, b: bigint) => (a > b ? a : b)
export const isThrifty = (slice: Slice, now: number): boolean => now < slice.thriftyUntil
export const claimsOf = ({ waiting }: Slice): bigint => waiting.reduce((sum, { need }) => sum + need, 0n)

/** Holds the amount when that takes nothing from those who wait. */
export function take(slice: Slice, amount: bigint, now: number): boolean {
  slice.lastUse = now
  if (spareOf(slice) - claimsOf(slice) < amount) return false
  slice.held += amount
  return true
}

/** Ends a hold; answers how much of what is owed this slice pays. What others wait for is not touched. */
export function settle(slice: Slice, amount: bigint, owed: bigint): bigint {
  slice.held -= amount
  const beyond = most(0n, spareOf(slice) - amount - claimsOf(slice))
  const covered = owed < amount + beyond ? owed : amount + beyond
  slice.owed += covered
  return covered
}

/** Serves who can be served, in order; a later one may pass only while those before it stay covered. */
export function serve(slice: Slice): void {
  let claimed = 0n
  const still: Waiter[] = []
  const served: Waiter[] = []
  for (const waiter of slice.waiting) {
    if (spareOf(slice) - claimed >= waiter.need) {
      slice.held += waiter.need
      served.push(waiter)
    } else {
      claimed += waiter.need
      still.push(waiter)
    }
  }
  slice.waiting = still
  for (const waiter of served) waiter.served()
}

/** Wants more than it has, for those who wait or for those who will come. `coverMs` 0: never ahead. */
export const isHungry = (slice: Slice, now: number, coverMs: number): boolean =>
  slice.waiting.length > 0 ||
  (coverMs > 0 && slice.step > 0n && spareOf(slice) < slice.step / 2n && !isThrifty(slice, now) && isInUse(slice, now))

const isInUse = (slice: Slice, now: number) => now - slice.lastUse < idleMs

export interface Appetite {
  need: bigint
  want: bigint
  /** The step that this take would make. */
  ahead: bigint
}

/** What to ask the database for. The step grows until a slice lasts about as long as it should cover. */
export function appetite(slice: Slice, now: number, coverMs: number): Appetite {
  const spare = spareOf(slice)
  const head = slice.waiting[0]?.need ?? 0n
  const since = now - slice.lastTake
  const grown = since < coverMs ? slice.step * 2n : since > 5 * coverMs ? slice.step / 2n : slice.step
  const ahead = coverMs === 0 || isThrifty(slice, now) ? 0n : most(grown, 2n * head)
  const need = head > 0n ? most(0n, head - spare) : 0n
  return { need, want: most(need, claimsOf(slice) + ahead - spare), ahead }
}

/** After the answer to that, before anybody is served. A step never exceeds what there was, or it would be asked for again and again. */
export function fed(slice: Slice, { ahead }: Appetite, now: number): void {
  const spare = most(0n, spareOf(slice))
  slice.step = ahead < spare ? ahead : spare
  slice.lastTake = now
}

/** What may go back: what is spare, when it is idle or somebody else needs it. */
export function surplus(slice: Slice, now: number, coverMs: number): bigint {
  if (slice.waiting.length > 0) return 0n
  if (coverMs > 0 && !isThrifty(slice, now) && isInUse(slice, now)) return 0n
  return most(0n, spareOf(slice))
}

export function beThrifty(slice: Slice, now: number): void {
  slice.thriftyUntil = now + thriftyMs
}
