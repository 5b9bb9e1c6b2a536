import { expect, test } from 'bun:test'
import type { UsageReportRow } from '#shared/console/usage'
import { bySteps, stepsBefore } from './figures.ts'

const row = (fields: Partial<UsageReportRow>) => ({ charged: '1', ...fields }) as UsageReportRow

test('rows are placed at their hour or day; missing ones are 0', () => {
  const hours = ['2026-11-23T00:00:00.000Z', '2026-11-23T01:00:00.000Z']
  expect(bySteps([row({ hour: '2026-11-23T01:00:00Z' })], hours, (one) => Number(one.charged))).toEqual([0, 1])
  expect(bySteps([row({ day: '2026-11-22', charged: '2' })], ['2026-11-22', '2026-11-23'], (one) => Number(one.charged))).toEqual([2, 0])
})

test('today is compared with the whole day a week ago, days with as many before', () => {
  const before = stepsBefore({ steps: ['2026-11-23T00:00:00.000Z'], days: 1 })
  expect([before.length, before[0], before[23]]).toEqual([24, '2026-11-16T00:00:00.000Z', '2026-11-16T23:00:00.000Z'])
  const week = Array.from({ length: 7 }, (_, at) => `2026-03-${25 + at}`)
  expect(stepsBefore({ steps: week, days: 7 })).toEqual(Array.from({ length: 7 }, (_, at) => `2026-03-${18 + at}`))
  expect(stepsBefore({ steps: [], days: 7 })).toEqual([])
})
