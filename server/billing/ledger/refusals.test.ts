import { describe, expect, test } from 'bun:test'
import type { NewLog } from '#store/ledger/ledger'
import { handClock } from '#testing/hand-clock'
import { usageRow } from '#testing/usage-row'
import { createRefusals, rowsPerMinute } from './refusals.ts'

function start() {
  const clock = handClock()
  const told: NewLog[] = []
  const refusals = createRefusals(clock, (row) => void told.push(row))
  let ids = 0
  const refused = (keyId: string, code = 'rate_limit_exceeded') =>
    usageRow({ requestId: `r${++ids}`, keyId, cost: 0n, status: 429, end: 'error', error: { code, message: 'Too many requests.' } })
  const rows = (count: number, keyId: string, code?: string) =>
    Array.from({ length: count }, () => refusals.isRow(refused(keyId, code))).filter(Boolean).length
  return { clock, told, refusals, rows, refused }
}

describe('refused requests', () => {
  test('of each key and cause: ten rows a minute, and one that says how many there were more', async () => {
    const { clock, told, rows } = start()
    expect([rows(500, 'a'), rows(3, 'b'), rows(15, 'a', 'insufficient_quota')]).toEqual([rowsPerMinute, 3, rowsPerMinute])
    expect(told).toEqual([])
    await clock.advance(60_000)
    expect(told.map(({ keyId, error }) => [keyId, error?.code, error?.count])).toEqual([
      ['a', 'rate_limit_exceeded', 490],
      ['a', 'insufficient_quota', 5],
    ])
    expect(told[0]?.requestId).toBe('r500')
    expect(rows(20, 'a')).toBe(rowsPerMinute)
  })

  test('are told before their minute is over when everything ends, and nothing waits for a minute without them', async () => {
    const { clock, told, rows, refusals } = start()
    rows(rowsPerMinute, 'a')
    expect(clock.pending()).toBe(0)
    rows(2, 'a')
    refusals.flush()
    expect(told.map(({ error }) => error?.count)).toEqual([2])
    expect(clock.pending()).toBe(0)
  })

  test('that nothing could keep are counted', () => {
    const { told, refusals, refused } = start()
    for (let n = 0; n < 4; n++) refusals.lost(refused('a'))
    refusals.flush()
    expect(told.map(({ error }) => error?.count)).toEqual([4])
  })

  test('without an error are always rows', () => {
    const { refusals } = start()
    for (let n = 0; n < 100; n++) expect(refusals.isRow(usageRow({ requestId: `r${n}`, cost: 0n }))).toBe(true)
  })
})
