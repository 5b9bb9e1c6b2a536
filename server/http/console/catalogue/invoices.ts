/** POST /api/invoices/check, for administrators: compares an upstream's export of its charges with the known costs of its channels. */
import type { UsageReports } from '#accounts/usage'
import { compareInvoice, type LoggedCost } from '#billing/invoices/compare'
import { type Invoice, invoiceZones, readInvoice } from '#billing/invoices/exports'
import { type Asker, type ConsoleDeps, consoleRoute } from '#http/console/route/console-route'
import type { Route } from '#http/request/route'
import type { ChannelRegistry } from '#routing/channels'
import { InvoiceQuestion, type InvoiceReport, type InvoiceVendor } from '#shared/console/books'
import type { ChannelRow } from '#shared/console/channel'
import { GatewayError } from '#shared/errors'
import { formatUsd, parseUsd } from '#shared/money'

/** What the route needs from the program. */
export interface InvoiceDeps extends ConsoleDeps {
  accounts: ConsoleDeps['accounts'] & { usageReports: UsageReports }
  channels: Pick<ChannelRegistry, 'rows'>
}

/** The vendors of channels that send such invoices. */
const vendorsOf: Record<InvoiceVendor, readonly string[]> = {
  openai: ['openai'],
  anthropic: ['anthropic'],
  google: ['gemini', 'vertex'],
  amazon: ['bedrock'],
}
/** Most sums of days, models and channels in one report. */
const mostSums = 50_000
const dayMs = 86_400_000
const longestDays = 366

/** `POST /api/invoices/check`. */
export function invoiceRoutes(deps: InvoiceDeps): Route[] {
  return [
    consoleRoute(deps, {
      method: 'POST',
      path: '/api/invoices/check',
      who: 'admin',
      scope: 'usage',
      asks: true,
      body: InvoiceQuestion,
      handle: async ({ user, body, visit }) => ({ body: await checkInvoice(deps, user, body, visit.request.signal) }),
    }),
  ]
}

async function checkInvoice(deps: InvoiceDeps, user: Asker, asked: InvoiceQuestion, signal: AbortSignal): Promise<InvoiceReport> {
  const { vendor, csv, channel } = asked
  const channels = deps.channels
    .rows()
    .filter((row) => (channel === undefined ? vendorsOf[vendor].includes(row.vendor) : row.name === channel))
  if (channels.length === 0) {
    const [param, whose] = channel === undefined ? ['vendor', `of ${vendor}`] : ['channel', 'of this name']
    throw new GatewayError('invalid_value', `${param}: there is no channel ${whose}.`, { param })
  }
  const invoice = readInvoice(vendor, csv)
  const [from, to] = spanOf(invoice)
  const timezone = invoiceZones[vendor]
  const logged = await costsOf(deps, user, channels, { from, to, timezone }, signal)
  const { rows, billed, logged: known } = compareInvoice(invoice.lines, logged)
  return {
    ...{ vendor, timezone, from, to, channels: channels.map(({ name }) => name), lines: invoice.lines.length, leftOut: invoice.leftOut },
    ...{
      billed: formatUsd(billed),
      logged: formatUsd(known),
      difference: formatUsd(billed - known),
      fits: rows.every(({ fits }) => fits),
      rows,
    },
  }
}

/** The first and the last day. Throws `invalid_value` without any, and for more than a year. */
function spanOf({ lines }: Invoice): [from: string, to: string] {
  const days = lines.map(({ day }) => day).sort()
  const [from, to] = [days[0], days.at(-1)]
  const length = (Date.parse(to ?? '') - Date.parse(from ?? '')) / dayMs
  if (from === undefined || to === undefined || !(length < longestDays)) {
    throw new GatewayError('invalid_value', 'csv: expected lines about models, on days within one year.', { param: 'csv' })
  }
  return [from, to]
}

/** What requests to these channels cost, by the day and the upstream's name of the model. */
async function costsOf(
  { accounts }: InvoiceDeps,
  user: Asker,
  channels: readonly ChannelRow[],
  { from, to, timezone }: Pick<InvoiceReport, 'from' | 'to' | 'timezone'>,
  signal: AbortSignal,
): Promise<LoggedCost[]> {
  const startOf = (day: string, later: number) =>
    new Date(Temporal.PlainDate.from(day).add({ days: later }).toZonedDateTime(timezone).epochMilliseconds)
  const question = { from: startOf(from, 0), to: startOf(to, 1), by: ['day', 'model', 'channel'] as const, timezone, filter: {} }
  const { rows, next } = await accounts.usageReports.report(user, { ...question, limit: mostSums }, signal)
  if (next)
    throw new GatewayError('invalid_value', 'csv: expected fewer days: there are too many figures for one comparison.', { param: 'csv' })
  const upstreams = new Map(channels.map(({ name, models }) => [name, upstreamNames(models)]))
  return rows.flatMap(({ day = '', model = '', channel, upstreamCost, requests }) => {
    const names = channel ? upstreams.get(channel) : undefined
    if (!names || !channel) return []
    const span = { from: startOf(day, 0).toISOString(), to: startOf(day, 1).toISOString() }
    const page = `/requests?${new URLSearchParams({ ...span, model, channel })}`
    return [{ day, model: names.get(model) ?? model, cost: upstreamCost == null ? null : parseUsd(upstreamCost), requests, page }]
  })
}

const upstreamNames = (models: ChannelRow['models']) =>
  new Map(models.map((model) => (typeof model === 'string' ? [model, model] : [model.name, model.upstream ?? model.name])))
