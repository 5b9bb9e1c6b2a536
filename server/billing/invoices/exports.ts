/**
 * Exports of upstreams' charges, as lines. The columns follow the sources named in the note of each fixture. They are found
 * by name, in any order and after any preamble; other columns are ignored.
 */
import type { InvoiceVendor } from '#shared/console/books'
import { GatewayError } from '#shared/errors'
import { readCsv } from './csv.ts'

/** One line of an export. */
export interface InvoiceLine {
  /** `2026-03-01` */
  day: string
  /** Its text about the model. */
  label: string
  /** In 10^-18 USD: lines may be much smaller than a nano-dollar. */
  amount: bigint
}

/** An export. */
export interface Invoice {
  lines: InvoiceLine[]
  /** Lines about other things. */
  leftOut: number
}

/** Decimal places that are kept. */
export const places = 18

interface Form {
  day: string
  amount: string
  /** Columns whose texts together identify the model. */
  labels: readonly string[]
  /** Must be USD if present. */
  currency?: string
  /** Whether a line is about a model. */
  counts?(cell: (column: string) => string): boolean
}

/** Amazon calls the columns of its reports by either of these names. */
const amazon = (name: (of: string) => string): Form => ({
  day: name('lineItem/UsageStartDate'),
  amount: name('lineItem/UnblendedCost'),
  labels: ['product/ProductName', 'lineItem/UsageType', 'lineItem/LineItemDescription'].map(name),
  currency: name('lineItem/CurrencyCode'),
  counts: (cell) =>
    /usage$/i.test(cell(name('lineItem/LineItemType')) || 'Usage') &&
    ['lineItem/ProductCode', 'product/ProductName', 'lineItem/UsageType', 'lineItem/LineItemDescription'].some((column) =>
      /bedrock/i.test(cell(name(column))),
    ),
})
const snake = (of: string) => of.replace('/', '_').replace(/([a-z])([A-Z])/g, '$1_$2')

const isGemini = (cell: (column: string) => string) => /gemini|vertex|generative/i.test(cell('Service description'))
const google = (day: string, amount: string): Form => ({ day, amount, labels: ['SKU description'], counts: isGemini })

/** The forms of each upstream's exports; the first whose columns are present is used. */
const forms: Record<InvoiceVendor, readonly Form[]> = {
  openai: [{ day: 'start_time_iso', amount: 'amount_value', labels: ['line_item'], currency: 'amount_currency' }],
  anthropic: [{ day: 'usage_date_utc', amount: 'cost_usd', labels: ['model'] }],
  google: [
    google('Usage start date', 'Unrounded Cost ($)'),
    google('Date', 'Unrounded subtotal ($)'),
    google('Usage start date', 'Cost ($)'),
    google('Date', 'Subtotal ($)'),
  ],
  amazon: [amazon((name) => name), amazon(snake)],
}

/** The zones in which days of the exports begin. */
export const invoiceZones: Record<InvoiceVendor, string> = {
  openai: 'UTC',
  anthropic: 'UTC',
  google: 'America/Los_Angeles',
  amazon: 'UTC',
}

/** Most rows before the header row; Google's invoices have some. */
const mostPreamble = 50

/** Reads an export. Throws `invalid_value` for a text that is not one of this upstream, or in another currency. */
export function readInvoice(vendor: InvoiceVendor, text: string): Invoice {
  const rows = readCsv(text)
  for (const form of forms[vendor]) {
    const names = [form.day, form.amount].map(plainName)
    const head = rows.slice(0, mostPreamble).findIndex((row) => names.every((name) => row.some((cell) => plainName(cell) === name)))
    if (head >= 0) return linesOf(form, rows[head] ?? [], rows.slice(head + 1))
  }
  const columns = forms[vendor].map(({ day, amount }) => `${day} and ${amount}`)
  throw invalid(`an export of ${vendor} with the columns ${columns.join(', or ')}`)
}

const invalid = (expected: string) => new GatewayError('invalid_value', `csv: expected ${expected}.`, { param: 'csv' })
const plainName = (name: string) => name.trim().toLowerCase()

function linesOf({ day, amount, labels, currency, counts }: Form, head: readonly string[], rows: readonly (readonly string[])[]): Invoice {
  const places = new Map(head.map((name, at) => [plainName(name), at]))
  const invoice: Invoice = { lines: [], leftOut: 0 }
  for (const row of rows) {
    const cell = (column: string) => row[places.get(plainName(column)) ?? -1]?.trim() ?? ''
    if (currency && !/^(usd)?$/i.test(cell(currency))) throw invalid('amounts in USD')
    const on = /^\d{4}-\d\d-\d\d/.exec(cell(day))?.[0]
    const label = labels
      .map(cell)
      .filter((text) => text !== '')
      .join(' ')
    // Totals below the lines have no day.
    if (on === undefined || counts?.(cell) === false) invoice.leftOut += 1
    else invoice.lines.push({ day: on, label: label === '' ? 'without a model' : label, amount: amountOf(cell(amount)) })
  }
  return invoice
}

/** The number in 10^-18; digits beyond are dropped. */
function amountOf(text: string): bigint {
  const [, sign, whole = '', rest = '', power = '0'] = /^([+-]?)\$?(\d*)\.?(\d*)(?:e([+-]?\d{1,3}))?$/i.exec(text.replaceAll(',', '')) ?? []
  if (whole + rest === '') throw invalid('a number in the column of the amount')
  const shift = places - rest.length + Number(power)
  const digits = BigInt(whole + rest)
  const value = shift >= 0 ? digits * 10n ** BigInt(shift) : digits / 10n ** BigInt(-shift)
  return sign === '-' ? -value : value
}
