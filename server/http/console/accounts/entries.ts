/** The entries of a wallet of a user or a team: pages of JSON, or one CSV file. */
import { type EntriesAsked, entryCursor } from '#accounts/wallets'
import type { ConsoleReply } from '#http/console/route/console-route'
import { type CsvColumns, csvOfPages, csvReply, plainWords, readFormat } from '#http/console/route/csv'
import { readOneOf } from '#http/console/route/list-order'
import { readOne, readTimezone } from '#http/console/route/one-value'
import { cutPage, paging, readPaging } from '#http/console/route/page'
import { readSpan } from '#http/console/route/span'
import type { Clock } from '#runtime/clock'
import type { Page } from '#shared/console/model'
import type { EntryRow } from '#shared/console/user'
import { GatewayError } from '#shared/errors'
import { entryKinds } from '#shared/ids'

/** Query parameters of such a list. */
export const entryQuery = ['kind', 'q', 'from', 'to', 'by', 'timezone', 'format', ...paging] as const

/** Most rows of a file, and how many are read at once. */
const mostCsvRows = 50_000
const rowsAtOnce = 500

/** The reply to a query; `read` gives a page. Throws `invalid_value`. */
export async function entriesReply(
  { query, request, clock }: { query: URLSearchParams; request: Request; clock: Clock },
  read: (asked: EntriesAsked) => Promise<Page<EntryRow>>,
): Promise<ConsoleReply> {
  const paging = readPaging(query)
  const days = readOneOf(query, 'by', ['day']) && readTimezone(query)
  const filter = { ...readFilter(query), ...readSpan(query), ...(days !== undefined && { days }) }
  if (readFormat(query, request, ['csv']) === 'json') {
    return { body: cutPage(await read({ ...filter, ...paging }), (row) => entryCursor(row, days !== undefined)) }
  }
  const piece = (after?: string) => read({ ...filter, limit: rowsAtOnce, ...(after !== undefined && { after }) })
  return csvReply('ledger.csv', csvOfPages(columns, await piece(paging.after), piece, mostCsvRows), clock)
}

function readFilter(query: URLSearchParams): Pick<EntriesAsked, 'kind' | 'words'> {
  const [named, words] = [readOne(query, 'kind'), readOne(query, 'q')]
  const kind = entryKinds.find((one) => one === named)
  if (named !== undefined && kind === undefined) throw invalid('kind', `one of ${entryKinds.join(', ')}`)
  if (words !== undefined && (words === '' || words.length > 256 || words.includes('\0'))) throw invalid('q', '1 to 256 characters')
  return { ...(kind && { kind }), ...(words !== undefined && { words }) }
}

const invalid = (param: string, expected: string) => new GatewayError('invalid_value', `${param}: expected ${expected}.`, { param })

const columns: CsvColumns<EntryRow> = [
  ['id', ({ id }) => id],
  ['at', ({ at }) => at],
  ['kind', ({ kind }) => kind],
  ['amount', ({ amount }) => amount],
  ['balance', ({ balance }) => balance],
  ['reason', ({ reason }) => plainWords(reason)],
  ['ref', ({ ref }) => plainWords(ref)],
  ['actor', ({ actor }) => plainWords(actor)],
  ['actorName', ({ actorName }) => plainWords(actorName)],
  ['day', ({ day }) => day],
  ['entries', ({ entries }) => entries],
]
