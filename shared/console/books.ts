/**
 * Checks of the books: GET /api/books, of the whole books by themselves, and POST /api/invoices/check, of what channels are known to have cost
 * against an upstream's export of what it charges.
 */
import { Exact, Name, OneOf, type Static, Text, Type } from '../typebox.ts'

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

/** Whose exports are understood. */
export const invoiceVendors = ['openai', 'anthropic', 'google', 'amazon'] as const
/** One of them. */
export type InvoiceVendor = (typeof invoiceVendors)[number]

/** The export, and with what it is compared. */
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
  /** A date, as the upstream tells its days. */
  day: string
  /** The upstream's name of the model, or what the export says of it where no channel has such a model. */
  model: string
  /** What the export says. */
  billed: string
  /** What these requests are known to have cost; null where none of them went to a channel that says what it costs. */
  logged: string | null
  /** `billed - logged`. */
  difference: string
  /** Requests that went there. */
  requests: number
  /** Within a cent, or a hundredth of the larger. */
  fits: boolean
  /** Pages of the console with the requests behind it. */
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
  /** Lines of the export that were counted, and those that are of something else: taxes, credits, other services. */
  lines: number
  leftOut: number
  billed: string
  logged: string
  difference: string
  /** Everything fits. */
  fits: boolean
  /** What does not fit first, the largest difference before all. */
  rows: InvoiceRow[]
}
