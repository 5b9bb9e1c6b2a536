/**
 * The books of one request: hold, then settle or release, each idempotent by request id. Knows accounts and amounts, not
 * protocols. How they are kept is in `leased-books.ts`.
 */
import type { NewLog } from '#store/ledger'
import type { Account } from './account.ts'

export type { NewLog }

export interface Books {
  /** Takes the amount (nano-dollars) from every account or from none; the first is the wallet. Throws `insufficient_quota` or `books_unavailable`. */
  hold(requestId: string, accounts: readonly Account[], amount: bigint): Promise<void>
  /**
   * Adds to an open hold, for work whose end nobody knows. False when the balance does not cover it, or when the hold is
   * closed; the hold is then as it was. Rejects with `books_unavailable`.
   */
  grow(requestId: string, extra: bigint): Promise<boolean>
  /** Takes the cost from the wallet, closes the hold and writes the usage row, in one transaction. Never rejects. */
  settle(row: NewLog): Promise<void>
  /** Closes the hold without a charge and writes the usage row. Never rejects. */
  release(row: NewLog): Promise<void>
  /** The usage row of a request that never had a hold. Never rejects. */
  record(row: NewLog): Promise<void>
  /** What an open request would be settled with if this process ended now: its usage row so far. Counts after a crash only. */
  progress(row: NewLog): void
}
