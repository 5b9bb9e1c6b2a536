/**
 * The requests that wait for leases to be refilled, in order of arrival. A later one may overtake as long as it takes nothing
 * claimed by those before it. Knows neither money nor limits.
 */
import { larger } from './refill.ts'

/** The list's fields in each lease. */
export interface Claimed {
  /** What waiting requests claim of it, in its unit. */
  claimed: bigint
  /** How many requests wait for it. */
  waiting: number
}

/** An amount of one lease. */
export interface Need<L> {
  readonly lease: L
  readonly amount: bigint
}

/** One request that waits. */
export interface Waiter<L, Reason> {
  readonly needs: readonly Need<L>[]
  /** When it arrived, in milliseconds of the monotonic clock. */
  readonly since: number
  /** All its needs are covered: takes them at once. Must not call the list. */
  served(): void
  refused(reason: Reason): void
}

/** The waiting requests of one kind of lease. */
export interface WaitingList<L, Reason, W extends Waiter<L, Reason>> {
  size(): number
  all(): readonly W[]
  has(waiter: W): boolean
  add(waiter: W): void
  /** Whether the needs can be taken now, without taking anything claimed by waiting requests. */
  covers(needs: readonly Need<L>[]): boolean
  /** Serves every request that can be served now. `freed`: only these leases have more than before; requests for others are skipped. */
  serve(freed?: readonly L[]): void
  /** Refuses every waiting request for which there is a reason, and serves those that can then be served. Returns how many were refused. */
  refuse(reasonOf: (waiter: W) => Reason | undefined): number
}

/** What differs between kinds of leases. */
export interface WaitingOptions<L> {
  /** What may be taken from the lease now, claimed or not. */
  spare(lease: L): bigint
  /**
   * What a waiting request claims: only its shortfall, where the database grants all of its needs together or none; all of its
   * needs, where each is granted separately and must not be lost while others are missing.
   */
  claims: 'shortfalls' | 'all needs'
  /** Whether anything may be taken now; absent: `spare` decides. While it may not, no request is served. */
  isOpen?(): boolean
}

/** An empty list. */
export function createWaitingList<L extends Claimed, Reason, W extends Waiter<L, Reason>>({
  spare,
  claims,
  isOpen = () => true,
}: WaitingOptions<L>): WaitingList<L, Reason, W> {
  let list: W[] = []

  const isShort = ({ lease, amount }: Need<L>) => amount > 0n && amount > larger(0n, spare(lease) - lease.claimed)

  /** Records the claims of a request that must wait; false when it need not wait. */
  function claim(needs: readonly Need<L>[]): boolean {
    const short = needs.filter(isShort)
    if (short.length === 0) return false
    for (const { lease, amount } of claims === 'shortfalls' ? short : needs) lease.claimed += amount
    return true
  }

  function leave({ needs }: W): void {
    for (const { lease } of needs) {
      lease.waiting -= 1
      // The claims of the others are recomputed.
      lease.claimed = 0n
    }
  }

  /** Whether a request waiting for any of these could be served if it were alone: comparisons only, since this runs at every end. */
  const couldServe = (freed: readonly L[]): boolean =>
    list.some(
      ({ needs }) =>
        needs.some(({ lease }) => freed.includes(lease)) && needs.every(({ lease, amount }) => amount <= 0n || amount <= spare(lease)),
    )

  function serve(freed?: readonly L[]): void {
    if (list.length === 0 || (freed && !couldServe(freed))) return
    for (const { needs } of list) for (const { lease } of needs) lease.claimed = 0n
    const still: W[] = []
    const served: W[] = []
    const open = isOpen()
    for (const each of list) {
      if (claim(each.needs) || !open) still.push(each)
      else {
        served.push(each)
        each.served()
      }
    }
    list = still
    for (const { needs } of served) for (const { lease } of needs) lease.waiting -= 1
  }

  return {
    size: () => list.length,
    all: () => list,
    has: (waiter) => list.includes(waiter),
    add(waiter) {
      for (const { lease } of waiter.needs) lease.waiting += 1
      claim(waiter.needs)
      list.push(waiter)
    },
    covers: (needs) => !needs.some(isShort),
    serve,
    refuse(reasonOf) {
      const refused: { waiter: W; reason: Reason }[] = []
      list = list.filter((waiter) => {
        const reason = reasonOf(waiter)
        if (reason !== undefined) refused.push({ waiter, reason })
        return reason === undefined
      })
      for (const { waiter } of refused) leave(waiter)
      if (refused.length > 0) serve()
      for (const { waiter, reason } of refused) waiter.refused(reason)
      return refused.length
    },
  }
}
