/** The lines of the books, in the form used between the journal and the database. */
import type { NewLog } from './ledger.ts'

/** A finished request to be written to the ledger. Amounts are nano-dollars. */
export interface BookLine {
  row: NewLog
  /** The accounts that pay, the wallet first; empty for a request that never had a hold. */
  accounts: readonly string[]
  /** The amount each of them pays. */
  owed: bigint
  /** How much of it the instance's leases pay; the rest is taken from the free amounts, as far as all of them suffice. */
  covered: bigint
}
