/**
 * The books as requests use them: hold, then settle or release, each idempotent by request id. Knows accounts and amounts, no
 * protocols. `leased-books.ts` implements them.
 */

import type { Account } from '#billing/lease/account'
import type { NewLog } from '#store/ledger/ledger'

/** A usage row before its charge is known. */
export type { NewLog }

/** All amounts are nano-dollars. */
export interface Books {
  /** Holds the amount in every account or in none; the first is the wallet. Rejects with `insufficient_quota`, `books_unavailable` or `journal_full`. */
  hold(requestId: string, accounts: readonly Account[], amount: bigint): Promise<void>
  /** Whether the accounts have any money: resolves, or rejects as `hold` does. Holds nothing. */
  affords(accounts: readonly Account[]): Promise<void>
  /**
   * Tops up an open hold, for work of unknown length. False when an account does not cover it or the hold is closed; the hold is
   * then unchanged. A promise only where it has to wait; that rejects with `books_unavailable`.
   */
  grow(requestId: string, extra: bigint): boolean | Promise<boolean>
  /**
   * Whether every account of an open hold has so much more than all its holds that a rough estimate of a running answer's cost is
   * enough; from memory.
   */
  hasPlenty(requestId: string): boolean
  /** Charges the cost, closes the hold and writes the usage row, in one transaction. Never rejects. */
  settle(row: NewLog): Promise<void>
  /** Closes the hold without a charge and writes the usage row. Never rejects. */
  release(row: NewLog): Promise<void>
  /** Closes an open hold without a charge and without a row: another process continues the work. */
  drop(requestId: string): void
  /** The usage row of a request that never had a hold. Never rejects. */
  record(row: NewLog): Promise<void>
  /**
   * The usage row so far of an open request, with which it is settled if this process crashes. `soon`: it is written before any
   * pending await resumes, which is cheaper than at once.
   */
  progress(row: NewLog, soon?: 'soon'): void
}
