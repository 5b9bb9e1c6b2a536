/** Commands that read usage. */
import { type InvoiceReport, type InvoiceRow, invoiceVendors } from '#shared/console/books'
import { type UsageKey, type UsageReportRow, usageKeys } from '#shared/console/usage'
import { CommandError } from './api.ts'
import { type Column, type Command, pick, queryOf, table } from './command.ts'
import { filters, span, spanOf } from './span-flags.ts'

const nameIn: Record<UsageKey, (row: UsageReportRow) => string | null | undefined> = {
  model: (row) => row.model,
  key: (row) => (row.key === null ? 'playground' : row.key?.name),
  user: (row) => row.user?.name ?? row.user?.id,
  team: (row) => (row.team === null ? 'none' : (row.team?.name ?? row.team?.id)),
  group: (row) => row.group,
  channel: (row) => row.channel,
  hour: (row) => row.hour,
  day: (row) => row.day,
}

const invoiceColumns: readonly Column<InvoiceRow>[] = [
  ['day', (row) => row.day],
  ['model', (row) => row.model],
  ['billed', (row) => row.billed],
  ['known', (row) => row.logged],
  ['difference', (row) => row.difference],
  ['requests', (row) => row.requests],
  ['page', (row) => row.pages[0]],
]

/** `usage` and `invoices`. */
export const usageCommands: readonly Command[] = [
  {
    words: 'usage',
    flags: {
      by: { value: 'A,B', help: `Up to two of ${usageKeys.join(', ')}`, of: usageKeys },
      ...span,
      ...filters,
      timezone: { value: 'ZONE', help: 'IANA zone in which days begin' },
      csv: { help: 'The whole report as CSV' },
    },
    help: 'Usage and charges; the last 30 days by default',
    async run({ api, flags }) {
      const asked = { ...pick(flags, ['by', 'timezone', ...Object.keys(filters)]), ...spanOf(flags) }
      if (flags.csv !== undefined) {
        const text = await api.text(`/api/usage${queryOf({ ...asked, format: 'csv' })}`)
        return { value: text, text: text.replace(/\r?\n$/, '') }
      }
      const rows = await api.list<UsageReportRow>(`/api/usage${queryOf(asked)}`, 50_000)
      const by = (flags.by ?? '').split(',').filter((word): word is UsageKey => usageKeys.some((key) => key === word))
      const columns: Column<UsageReportRow>[] = [
        ...by.map((key): Column<UsageReportRow> => [key, nameIn[key]]),
        ['requests', (row) => row.requests],
        ['errors', (row) => row.errors],
        ['input', (row) => Object.values(row.tokens.in).reduce((sum, count) => sum + count, 0)],
        ['output', (row) => row.tokens.out.total],
        ['charged', (row) => row.charged],
        ...(rows.some((row) => row.margin !== undefined) ? [['margin', (row: UsageReportRow) => row.margin] as const] : []),
      ]
      return { value: rows, text: table(rows, columns, 'Nothing was used in this time.') }
    },
  },
  {
    words: 'invoices check',
    args: ['FILE'],
    flags: {
      vendor: { value: 'VENDOR', help: `${invoiceVendors.join(', ')}; required`, of: invoiceVendors },
      channel: { value: 'CHANNEL', help: 'Only this channel; absent: all of the vendor' },
      all: { help: 'Also show rows that match' },
    },
    help: 'Compares an upstream’s cost export (CSV, - for standard input) with its known costs; exit code 3 on a mismatch',
    async run({ api, args: [file = ''], flags, readText }) {
      const vendor = invoiceVendors.find((one) => one === flags.vendor)
      if (!vendor) throw new CommandError(`--vendor takes one of ${invoiceVendors.join(', ')}.`, 2)
      const asked = { vendor, csv: await readText(file), ...pick(flags, ['channel']) }
      const report = await api.call<InvoiceReport>('POST', '/api/invoices/check', asked)
      const { from, to, billed, logged, difference, leftOut, rows } = report
      const shown = rows.filter(({ fits }) => flags.all !== undefined || !fits)
      const sums = `${from} to ${to}: billed ${billed} USD, known ${logged} USD, difference ${difference} USD; ${leftOut} lines of something else.`
      return { value: report, text: `${sums}\n${table(shown, invoiceColumns, 'Everything matches.')}`, code: report.fits ? 0 : 3 }
    },
  },
]
