/**
 * CSV (RFC 4180): a header row, CRLF line ends, quotes where a cell needs them. User-provided text that a spreadsheet would evaluate as a
 * formula gets a leading apostrophe; numbers stay numbers, negative ones too. Some spreadsheets split cells at semicolons or tabs, even
 * inside quotes, so text after one is treated as the beginning of a cell too.
 */
import type { Clock } from '#runtime/clock'
import { outgoingBody } from '#runtime/outgoing-body'
import type { Page } from '#shared/console/model'
import { GatewayError } from '#shared/errors'
import type { ConsoleReply } from './console-route.ts'
import { readOne } from './one-value.ts'

/** The content of a cell; empty for null and undefined. */
export type Cell = string | number | null | undefined

/** A line of the file, quoted where it must be. */
export const csvLine = (cells: readonly Cell[]): string => `${cells.map(quoted).join(',')}\r\n`

function quoted(cell: Cell): string {
  const text = String(cell ?? '')
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/**
 * Text as a cell: with an apostrophe before anything a spreadsheet may evaluate as a formula. Leading white space is ignored, and
 * full-width characters count too.
 */
export function plainWords(text: string | null | undefined): Cell {
  return text?.replace(/(^|[,;\t])(?=\s*[=+\-@＝＋－＠\t\r\n|%])/g, "$1'")
}

/** Whether `format` or the Accept header asks for one of `formats`; `json` otherwise. Throws `invalid_value`. */
export function readFormat<const Format extends string>(
  query: URLSearchParams,
  request: Request,
  formats: readonly ['csv', ...Format[]],
): 'json' | 'csv' | Format {
  const format = readOne(query, 'format')
  if (format === undefined) return /\btext\/csv\b/i.test(request.headers.get('accept') ?? '') ? 'csv' : 'json'
  const known = (['json', ...formats] as const).find((one) => one === format)
  if (known === undefined) {
    throw new GatewayError('invalid_value', `format: expected one of json, ${formats.join(', ')}.`, { param: 'format' })
  }
  return known
}

/** A file called `name`, piece by piece; `next` gives its lines, some at a time, and undefined at its end. */
export function csvReply(name: string, next: () => string | undefined | Promise<string | undefined>, clock: Clock): ConsoleReply {
  const encoder = new TextEncoder()
  const source = {
    async next() {
      const text = await next()
      return text === undefined ? undefined : encoder.encode(text)
    },
    close() {},
  }
  const headers = { 'content-type': 'text/csv; charset=utf-8; header=present', 'content-disposition': `attachment; filename="${name}"` }
  return { stream: outgoingBody(source, clock), headers }
}

/** The columns of a file: each a heading, and its cell for a row. */
export type CsvColumns<Row> = readonly (readonly [heading: string, cell: (row: Row) => Cell])[]

/** The lines of a file that begins with this page, header first, with at most `most` rows; for `csvReply`. */
export function csvOfPages<Row>(
  columns: CsvColumns<Row>,
  first: Page<Row>,
  read: (after: string) => Promise<Page<Row>>,
  most: number,
): () => Promise<string | undefined> {
  let page: Page<Row> | undefined
  let rows = 0
  return async () => {
    const begins = page === undefined
    if (page === undefined) page = first
    else if (page.next !== null && rows < most) page = await read(page.next)
    else return undefined
    const data = page.data.slice(0, most - rows)
    rows += data.length
    const lines = data.map((row) => csvLine(columns.map(([, cell]) => cell(row))))
    return [...(begins ? [csvLine(columns.map(([heading]) => heading))] : []), ...lines].join('')
  }
}
