/**
 * Usage as CSV (RFC 4180): a heading, lines that end in CRLF, quotes where a cell needs them. Somebody's words that a spreadsheet
 * would take for a formula begin with an apostrophe instead; figures stay figures, negative ones too. There are spreadsheets that
 * divide cells at semicolons or tabs, some of them in spite of quotes, so what follows one is treated as a beginning too.
 */
import type { UsageKey, UsageReportRow } from '#shared/console/usage'

type Cell = string | number | null | undefined
type Column = readonly [heading: string, cell: (row: UsageReportRow) => Cell]

const perKey: Record<UsageKey, readonly Column[]> = {
  model: [['model', (row) => words(row.model)]],
  key: [
    ['keyId', (row) => row.key?.id],
    ['key', (row) => words(row.key?.name)],
  ],
  user: [
    ['userId', (row) => row.user?.id],
    ['user', (row) => words(row.user?.name)],
  ],
  group: [['group', (row) => words(row.group)]],
  channel: [['channel', (row) => words(row.channel)]],
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

/** Line by line, the heading first. Only administrators get the second book. */
export function* csvLines(rows: readonly UsageReportRow[], by: readonly UsageKey[], administrator: boolean): Generator<string> {
  const columns = [...by.flatMap((key) => perKey[key]), ...amounts, ...(administrator ? secondBook : []), ...times]
  yield line(columns.map(([heading]) => heading))
  for (const row of rows) yield line(columns.map(([, cell]) => cell(row)))
}

const line = (cells: readonly Cell[]) => `${cells.map(quoted).join(',')}\r\n`

function quoted(cell: Cell): string {
  const text = String(cell ?? '')
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Spreadsheets look for formulas behind white space too, and full-width signs count. */
function words(text: string | null | undefined): Cell {
  return text?.replace(/(^|[,;\t])(?=\s*[=+\-@＝＋－＠\t\r\n|%])/g, "$1'")
}
