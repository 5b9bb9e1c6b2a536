/** What this instance asks the database to lease to it. Amounts are nano-dollars, times milliseconds of the monotonic clock. */
import type { AskedPart } from '#store/ledger/leases'
import type { Account } from './account.ts'
import { isLow, type MoneyLease, moneyWanted, spareOf } from './money-lease.ts'
import type { Waiter } from './waiting.ts'

/** Why a hold is refused: the account that cannot pay; none when the database does not answer. */
export interface Refusal {
  account: Account | undefined
}

/** A hold that must wait. */
export interface HoldRequest {
  readonly accounts: readonly Account[]
  /** What each of the accounts must pay. */
  readonly amount: bigint
  readonly since: number
  /** Until when to wait for other instances to give something back. */
  readonly until: number
  served(): void
  /** The account cannot pay, or, without one, the database does not answer. */
  refused(account: Account | undefined): void
}

/** A hold that waits. All of its accounts must pay the same amount. */
export interface WaitingHold extends Waiter<MoneyLease, Refusal> {
  readonly accounts: readonly Account[]
  readonly amount: bigint
  /** Until when to wait for other instances to give something back. */
  readonly until: number
  /** The same for all holds on the same accounts. */
  readonly kind: string
  /** How often the database was asked for it. */
  asked: number
}

interface Part extends AskedPart {
  lease: MoneyLease
  /** The step of this refill. */
  step: bigint
}

/** What is requested together: everything the first hold of its kind needs, or a refill of one account. */
export interface LeaseRequest {
  head: WaitingHold | undefined
  parts: readonly Part[]
}

/**
 * The first hold of each kind, round robin by payer, those requested least often first, so
 * that no payer waits behind a crowd of another's requests.
 */
function inTurns(waiting: readonly WaitingHold[]): WaitingHold[] {
  const kinds = new Set<string>()
  const ofPayer = new Map<string, number>()
  const turns: WaitingHold[][] = []
  for (const head of waiting) {
    if (kinds.has(head.kind)) continue
    kinds.add(head.kind)
    const payer = head.accounts[0]?.id ?? ''
    const before = ofPayer.get(payer) ?? 0
    ofPayer.set(payer, before + 1)
    const turn = Math.min(before + head.asked, waiting.length)
    turns[turn] ??= []
    turns[turn].push(head)
  }
  return turns.flat()
}

/**
 * What waiting holds need: for each kind, the shortfall of the first and of the others. Not many more than `most`
 * accounts, so that the length of a call does not depend on how many wait; the next call requests the others.
 */
export function requestsOfWaiting(waiting: readonly WaitingHold[], now: number, most: number): LeaseRequest[] {
  const left = new Map<MoneyLease, bigint>()
  let accounts = 0
  return inTurns(waiting).flatMap((head) => {
    if (accounts >= most) return []
    const parts = head.needs.flatMap(({ lease, amount }): Part[] => {
      const { account, budget, refill } = lease
      const need = amount - (left.get(lease) ?? spareOf(lease))
      if (need <= 0n) return []
      refill.usedAt = now
      const asks = left.has(lease) ? { want: need, step: refill.step } : moneyWanted(lease, amount, now)
      left.set(lease, 0n)
      return [{ lease, account, budget, need, ...asks }]
    })
    if (parts.length === 0) return []
    accounts += parts.length
    head.asked += 1
    return [{ head, parts }]
  })
}

/** Refills for future holds, of leases that `others` do not already request; removes from `low` what it has examined: `most` at once. */
export function requestsAhead(low: Set<MoneyLease>, others: readonly LeaseRequest[], now: number, most: number): LeaseRequest[] {
  const asked = new Set(others.flatMap(({ parts }) => parts.map(({ lease }) => lease)))
  const requests: LeaseRequest[] = []
  for (const lease of low) {
    if (requests.length >= most) break
    low.delete(lease)
    if (asked.has(lease) || !isLow(lease, now)) continue
    const { account, budget } = lease
    requests.push({ head: undefined, parts: [{ lease, account, budget, need: 0n, ...moneyWanted(lease, 0n, now) }] })
  }
  return requests
}
