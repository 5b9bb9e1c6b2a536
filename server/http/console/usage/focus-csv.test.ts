import { expect, test } from 'bun:test'
import type { UsageReportRow } from '#shared/console/usage'
import { focusLines } from './focus-csv.ts'

const row = {
  model: '=m',
  user: { id: 'u1', name: 'ann' },
  day: '2026-10-25',
  requests: 3,
  errors: 1,
  cost: '0.5',
  charged: '0.4',
  upstreamCost: '0.1',
  margin: '0.3',
  tokens: {
    in: { fresh: 10, cacheRead: 2, cacheWrite: 1, audio: 0, image: 0 },
    out: { total: 5, reasoning: 4, audio: 0, image: 0 },
  },
  units: { requests: 3, images: 0, seconds: 0, characters: 0, searches: 0 },
  latency: { total: null, firstToken: null },
} as unknown as UsageReportRow
const period = { from: new Date('2026-10-01T00:00:00Z'), to: new Date('2026-11-01T00:00:00Z'), timezone: 'Europe/Berlin' }

/** The only row, by column. */
function cellsOf(of: UsageReportRow, by: Parameters<typeof focusLines>[1], administrator = true): Record<string, string> {
  const [head = '', line = ''] = [...focusLines([of], by, administrator, period)].map((one) => one.trimEnd())
  const values = line.split(',')
  return Object.fromEntries(head.split(',').map((name, at) => [name, values[at] ?? '']))
}

test('costs, names and periods stand where FOCUS looks for them', () => {
  expect(cellsOf(row, ['model', 'day'])).toMatchObject({
    BillingCurrency: 'USD',
    BilledCost: '0.4',
    ListCost: '0.5',
    ChargeCategory: 'Usage',
    // The day on which clocks go back has 25 hours.
    ChargePeriodStart: '2026-10-24T22:00:00Z',
    ChargePeriodEnd: '2026-10-25T23:00:00Z',
    ConsumedQuantity: '3',
    ResourceId: "'=m",
    x_OutputTokens: '5',
    x_Margin: '0.3',
  })
  const { day: _, ...whole } = row
  expect(cellsOf(whole as UsageReportRow, ['user'])).toMatchObject({
    SubAccountId: 'u1',
    SubAccountName: 'ann',
    ChargePeriodStart: '2026-10-01T00:00:00.000Z',
    ChargePeriodEnd: '2026-11-01T00:00:00.000Z',
  })
  expect(cellsOf({ ...whole, hour: '2026-10-01T10:00:00Z' } as UsageReportRow, ['hour'])).toMatchObject({
    ChargePeriodEnd: '2026-10-01T11:00:00Z',
  })
})

test('what it cost us is for administrators', () => {
  expect(Object.keys(cellsOf(row, ['model'], false)).filter((name) => /Upstream|Margin/.test(name))).toEqual([])
})
