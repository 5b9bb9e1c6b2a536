/**
 * Usage as CSV (RFC 4180): a header row, CRLF line ends, quotes where a cell needs them. User-provided text that a spreadsheet
 * would evaluate as a formula gets a leading apostrophe; numbers stay numbers, negative ones too. Some spreadsheets split cells at
 * semicolons or tabs, even inside quotes, so text after one is treated as the beginning of a cell too.
 */
import type { UsageKey, UsageReportRow } from '#shared/console/usage'

/** What stands in a cell; nothing for null and undefined. */
export type Cell = string | number | null | undefined
type Column = readonly [heading: string, cell: (row: UsageReportRow) => Cell]

const perKey: Record<UsageKey, readonly Column[]> = {
  model: [['model', (row) => plainWords(row.model)]],
  key: [
    ['keyId', (row) => row.key?.id],
    ['key', (row) => plainWords(row.key?.name)],
  ],
  user: [
    ['userId', (row) => row.user?.id],
    ['user', (row) => plainWords(row.user?.name)],
  ],
  group: [['group', (row) => plainWords(row.group)]],
  channel: [['channel', (row) => plainWords(row.channel)]],
  hour: [['hour', (row) => row.hour]],
  day: [['day', (row) => row.day]],
}

const amounts: readonly Column[] = [
  ['requests', (row) => row.requests],
  ['errors', (row) => row.errors],
  ['freshTokens', (row) => row.tokens.in.fresh],
  ['cacheReadTokens', (row) => row.tokens.in.cacheRead],
  ['cacheWriteTokens', (row) => row.tokens.in.cacheWrite],
  ['audioInTokens', (row) => row.tokens.in.audio],
  ['imageInTokens', (row) => row.tokens.in.image],
  ['outputTokens', (row) => row.tokens.out.total],
  ['reasoningTokens', (row) => row.tokens.out.reasoning],
  ['audioOutTokens', (row) => row.tokens.out.audio],
  ['imageOutTokens', (row) => row.tokens.out.image],
  ['images', (row) => row.units.images],
  ['seconds', (row) => row.units.seconds],
  ['characters', (row) => row.units.characters],
  ['searches', (row) => row.units.searches],
  ['cost', (row) => row.cost],
  ['charged', (row) => row.charged],
]
const secondBook: readonly Column[] = [
  ['upstreamCost', (row) => row.upstreamCost],
  ['margin', (row) => row.margin],
]
const times: readonly Column[] = (['total', 'firstToken'] as const).flatMap((what) =>
  (['p50', 'p95', 'p99'] as const).map((share): Column => [`${what}Ms${share.toUpperCase()}`, (row) => row.latency[what]?.[share]]),
)

/** The CSV file line by line, header first. Only administrators get upstream costs and margins. */
export function* csvLines(rows: readonly UsageReportRow[], by: readonly UsageKey[], administrator: boolean): Generator<string> {
  const columns = [...by.flatMap((key) => perKey[key]), ...amounts, ...(administrator ? secondBook : []), ...times]
  yield csvLine(columns.map(([heading]) => heading))
  for (const row of rows) yield csvLine(columns.map(([, cell]) => cell(row)))
}

/** A line of the file, quoted where it must be. */
export const csvLine = (cells: readonly Cell[]): string => `${cells.map(quoted).join(',')}\r\n`

function quoted(cell: Cell): string {
  const text = String(cell ?? '')
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/**
 * Text as a cell: with an apostrophe before what a spreadsheet may evaluate as a formula. Leading white space is ignored, and
 * full-width characters count too.
 */
export function plainWords(text: string | null | undefined): Cell {
  return text?.replace(/(^|[,;\t])(?=\s*[=+\-@＝＋－＠\t\r\n|%])/g, "$1'")
}
