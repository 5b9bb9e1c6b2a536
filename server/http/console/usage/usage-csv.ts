/** Usage as CSV. */
import { type Cell, csvLine, plainWords } from '#http/console/route/csv'
import type { UsageKey, UsageReportRow } from '#shared/console/usage'

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
  team: [
    ['teamId', (row) => row.team?.id],
    ['team', (row) => plainWords(row.team?.name)],
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
