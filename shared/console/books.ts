/** What a check of the whole books answers. */

/** The parts of the books. */
export const booksParts = ['ledger', 'rows', 'sums', 'budgets', 'leases', 'journals'] as const
/** One of them. */
export type BooksPart = (typeof booksParts)[number]

/** Something that is wrong. */
export interface BooksFault {
  part: BooksPart
  rule: string
  /** The account, request, entry, hour, instance or folder. */
  what: string
  /** The wrong figure: nano-dollars, or a count. */
  found: string
}

/** The outcome of a check. Money in decimal USD. */
export interface BooksReport {
  /** RFC 3339. */
  at: string
  /** Nothing is wrong. */
  exact: boolean
  balance: string
  /** What of it is on lease. */
  leased: string
  /** How much was looked at. */
  looked: Record<'wallets' | 'budgets' | 'entries' | 'rows' | 'hours' | 'leases' | 'journals' | 'requestsInJournals' | 'unsettled', number>
  /** How many faults each part has. */
  parts: Record<BooksPart, number>
  /** The first hundred of them. */
  faults: BooksFault[]
  /** What is not wrong, and worth knowing: instances that are missing, journals that nobody showed. */
  notes: string[]
}
