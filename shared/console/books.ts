/**
 * Checks of the books: GET /api/books checks them against themselves; POST /api/invoices/check compares the known costs of channels with
 * an upstream's export of its charges.
 */
import { Exact, Name, OneOf, type Static, Text, Type } from '../typebox.ts'

/** The parts of the books. */
export const booksParts = ['ledger', 'rows', 'sums', 'budgets', 'leases', 'journals'] as const
/** One of them. */
export type BooksPart = (typeof booksParts)[number]

/** A discrepancy. */
export interface BooksFault {
  part: BooksPart
  rule: string
  /** The account, request, entry, hour, instance or folder. */
  what: string
  /** The wrong figure, in nano-dollars, or a count. */
  found: string
}

/** The outcome of a check. Money in decimal USD. */
export interface BooksReport {
  /** RFC 3339. */
  at: string
  /** Nothing is wrong. */
  exact: boolean
  balance: string
  /** The leased part of it. */
  leased: string
  /** How many of each were checked. */
  looked: Record<'wallets' | 'budgets' | 'entries' | 'rows' | 'hours' | 'leases' | 'journals' | 'requestsInJournals' | 'unsettled', number>
  /** Number of faults in each part. */
  parts: Record<BooksPart, number>
  /** The first hundred of them. */
  faults: BooksFault[]
  /** Not faults, but worth knowing: missing instances, journals that were not shown. */
  notes: string[]
}

/** Vendors whose exports can be parsed. */
export const invoiceVendors = ['openai', 'anthropic', 'google', 'amazon'] as const
/** One of them. */
export type InvoiceVendor = (typeof invoiceVendors)[number]

/** The export, and what to compare it with. */
export const InvoiceQuestion = Exact({
  vendor: OneOf(invoiceVendors),
  /** The text of the file. */
  csv: Text(1_000_000),
  /** Name of a channel; absent: all channels of this vendor. */
  channel: Type.Optional(Name()),
})
export type InvoiceQuestion = Static<typeof InvoiceQuestion>

/** One day of one model of the upstream. Money in decimal USD. */
export interface InvoiceRow {
  /** A date, by the upstream's calendar days. */
  day: string
  /** The upstream's name of the model, or the export's name for it where no channel has such a model. */
  model: string
  /** The charge in the export. */
  billed: string
  /** Known cost of these requests; null where none of them went to a channel with declared costs. */
  logged: string | null
  /** `billed - logged`. */
  difference: string
  /** Requests that went there. */
  requests: number
  /** Within a cent, or a hundredth of the larger. */
  fits: boolean
  /** Console pages that list these requests. */
  pages: string[]
}

/** The comparison. */
export interface InvoiceReport {
  vendor: InvoiceVendor
  /** The zone in which the upstream's days begin. */
  timezone: string
  /** The first and the last day of the export. */
  from: string
  to: string
  channels: string[]
  /** Lines of the export that were counted, and lines about other things: taxes, credits, other services. */
  lines: number
  leftOut: number
  billed: string
  logged: string
  difference: string
  /** Everything fits. */
  fits: boolean
  /** Mismatches first, the largest difference at the top. */
  rows: InvoiceRow[]
}
