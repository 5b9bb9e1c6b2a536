import { expect, test } from 'bun:test'
import type { LogRow } from '#shared/console/log'
import { newerThan, olderThan } from './near-requests.ts'

const start = Date.parse('2026-03-01T10:00:00Z')
const row = (requestId: string, ms: number) => ({ requestId, at: new Date(start + ms).toISOString() }) as LogRow

/** A log of these rows, newest first, that counts its queries. */
function logOf(rows: readonly LogRow[]) {
  const sorted = rows.toSorted((a, b) => b.at.localeCompare(a.at) || b.requestId.localeCompare(a.requestId))
  const log = {
    looks: 0,
    async read({ from = 0, to, limit = Number.POSITIVE_INFINITY }: { from?: number; to: number; limit?: number }) {
      log.looks++
      const found = sorted.filter(({ at }) => Date.parse(at) >= from && Date.parse(at) < to)
      return { data: found.slice(0, limit), next: found.length > limit ? 'more' : null }
    },
  }
  return log
}

const now = start + 400 * 86_400_000

test.each([
  ['close together', [0, 1, 2, 3]],
  ['within one millisecond', [5, 5, 5, 5]],
  ['hours and months apart', [0, 3_600_000, 90 * 86_400_000, 300 * 86_400_000]],
])('walks a log that is %s up and down', async (_, times) => {
  const rows = times.map((ms, at) => row(`req_${at}`, ms))
  const { read } = logOf(rows)
  for (const [at, one] of rows.entries()) {
    expect(await newerThan(one, read, now)).toBe(rows[at + 1]?.requestId)
    expect(await olderThan(one, read)).toBe(rows[at - 1]?.requestId)
  }
})

test('a burst after a silence is narrowed down in few queries, even within one millisecond', async () => {
  const crowd = Array.from({ length: 500 }, (_, at) => row(`req_${String(at).padStart(3, '0')}`, 86_400_000 + at))
  const log = logOf([row('req_a', 0), ...crowd])
  expect(await newerThan(row('req_a', 0), log.read, now)).toBe('req_000')
  expect(log.looks).toBeLessThan(40)
  const same = Array.from({ length: 60 }, (_, at) => row(`req_${at + 10}`, 7))
  const one = logOf([row('req_a', 0), ...same])
  expect(await newerThan(row('req_a', 0), one.read, now)).toBe('req_10')
  expect(await newerThan(row('req_30', 7), one.read, now)).toBe('req_31')
  expect(await olderThan(row('req_30', 7), one.read)).toBe('req_29')
  expect(await olderThan(row('req_10', 7), one.read)).toBe('req_a')
})

test('the neighbours of a request outside the filters are those around its time', async () => {
  const { read } = logOf([row('req_1', 0), row('req_3', 9)])
  expect(await newerThan(row('req_2', 5), read, now)).toBe('req_3')
  expect(await olderThan(row('req_2', 5), read)).toBe('req_1')
})
