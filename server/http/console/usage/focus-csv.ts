/**
 * Usage as CSV with the column names of FOCUS, the FinOps Open Cost and Usage Specification (https://focus.finops.org), version 1.2: for
 * tools that read bills of many providers. What FOCUS has no column for is named `x_...`, as it asks. Amounts are USD; times are UTC.
 */

import { type Cell, csvLine, plainWords } from '#http/console/route/csv'
import type { UsageKey, UsageReportRow } from '#shared/console/usage'

/** The time of the report, and the zone in which its days begin. */
export interface FocusPeriod {
  from: Date
  to: Date
  timezone: string
}

type Column = readonly [heading: string, cell: (row: UsageReportRow, period: FocusPeriod) => Cell]

const always: readonly Column[] = [
  ['BillingCurrency', () => 'USD'],
  ['BilledCost', (row) => row.charged],
  ['EffectiveCost', (row) => row.charged],
  ['ContractedCost', (row) => row.cost],
  ['ListCost', (row) => row.cost],
  ['ChargeCategory', () => 'Usage'],
  ['ChargeDescription', (row) => plainWords(row.model ?? 'All models')],
  ['ChargePeriodStart', (row, period) => spanOf(row, period).start],
  ['ChargePeriodEnd', (row, period) => spanOf(row, period).end],
  ['ServiceCategory', () => 'AI and Machine Learning'],
  ['ServiceSubcategory', () => 'Generative AI'],
  ['ServiceName', () => 'Parley'],
  ['ProviderName', () => 'Parley'],
  ['ConsumedQuantity', (row) => row.requests],
  ['ConsumedUnit', () => 'Requests'],
]

const perKey: Record<UsageKey, readonly Column[]> = {
  model: [
    ['ResourceId', (row) => plainWords(row.model)],
    ['ResourceType', () => 'Model'],
  ],
  user: [
    ['SubAccountId', (row) => row.user?.id],
    ['SubAccountName', (row) => plainWords(row.user?.name)],
  ],
  key: [
    ['x_KeyId', (row) => row.key?.id],
    ['x_KeyName', (row) => plainWords(row.key?.name)],
  ],
  team: [
    ['x_TeamId', (row) => row.team?.id],
    ['x_TeamName', (row) => plainWords(row.team?.name)],
  ],
  group: [['x_Group', (row) => plainWords(row.group)]],
  channel: [['x_Channel', (row) => plainWords(row.channel)]],
  // Covered by the charge period.
  hour: [],
  day: [],
}

const amounts: readonly Column[] = [
  ['x_Errors', (row) => row.errors],
  ['x_InputTokens', (row) => row.tokens.in.fresh],
  ['x_CacheReadTokens', (row) => row.tokens.in.cacheRead],
  ['x_CacheWriteTokens', (row) => row.tokens.in.cacheWrite],
  ['x_OutputTokens', (row) => row.tokens.out.total],
  ['x_ReasoningTokens', (row) => row.tokens.out.reasoning],
  ['x_Images', (row) => row.units.images],
  ['x_Seconds', (row) => row.units.seconds],
  ['x_Characters', (row) => row.units.characters],
  ['x_Searches', (row) => row.units.searches],
]
const secondBook: readonly Column[] = [
  ['x_UpstreamCost', (row) => row.upstreamCost],
  ['x_Margin', (row) => row.margin],
]

/** The CSV file line by line, header first. Only administrators get upstream costs and margins. */
export function* focusLines(
  rows: readonly UsageReportRow[],
  by: readonly UsageKey[],
  administrator: boolean,
  period: FocusPeriod,
): Generator<string> {
  const columns = [...always, ...by.flatMap((key) => perKey[key]), ...amounts, ...(administrator ? secondBook : [])]
  yield csvLine(columns.map(([heading]) => heading))
  for (const row of rows) yield csvLine(columns.map(([, cell]) => cell(row, period)))
}

/** Start (inclusive) and end (exclusive) of a row's period. */
function spanOf(row: UsageReportRow, { from, to, timezone }: FocusPeriod): { start: string; end: string } {
  if (row.hour !== undefined) {
    const start = Temporal.Instant.from(row.hour)
    return { start: start.toString(), end: start.add({ hours: 1 }).toString() }
  }
  if (row.day === undefined) return { start: from.toISOString(), end: to.toISOString() }
  const day = Temporal.PlainDate.from(row.day)
  const midnight = (date: Temporal.PlainDate) => date.toZonedDateTime(timezone).toInstant().toString()
  return { start: midnight(day), end: midnight(day.add({ days: 1 })) }
}
