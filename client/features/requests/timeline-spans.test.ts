import { expect, test } from 'bun:test'
import type { LogRow } from '#shared/console/log'
import { spansOf } from './timeline-spans.ts'

const row = (more: Partial<LogRow>) => ({ firstTokenMs: 40, totalMs: 100, stream: true, ...more }) as LogRow
const told = (more: Partial<LogRow>) => spansOf(row(more)).map(({ label, from, ms }) => [label, from, ms])

test('a stream has a first token; a whole answer arrives at once', () => {
  const attempts = [{ ms: 30 }, { ms: 70 }] as NonNullable<LogRow['attempts']>
  expect(told({ attempts })).toEqual([
    ['Attempt 1', 0, 30],
    ['First token', 30, 10],
    ['Streaming', 40, 60],
  ])
  expect(told({ attempts, stream: false })).toEqual([
    ['Attempt 1', 0, 30],
    ['Whole answer', 30, 70],
  ])
  expect(told({ firstTokenMs: null })).toEqual([['Total', 0, 100]])
})
