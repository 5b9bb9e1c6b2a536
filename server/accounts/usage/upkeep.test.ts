import { afterAll, beforeAll, expect, test } from 'bun:test'
import { pageLogs } from '#store/usage/logs'
import { addUpUsage } from '#store/usage/usage'
import { sampledEngine, type Throwaway, throwawayDatabase } from '#testing/database/database'
import { type HandClock, handClock } from '#testing/hand-clock'
import { putUsageRow } from '#testing/usage-row'
import { createUsageUpkeep } from './upkeep.ts'

const day = 86_400_000
let base: Throwaway
let clock: HandClock
beforeAll(async () => {
  base = await throwawayDatabase(sampledEngine(import.meta.file))
  clock = handClock(Date.parse('2026-03-20T12:30:00Z'))
}, 60_000)
afterAll(() => base.close())

test('rows go after the months that were asked for, and never before; their sums stay', async () => {
  let keep: number | null = null
  const { addUp, turnMonths } = createUsageUpkeep({ store: base.store, clock, keepMonths: () => keep })
  await turnMonths()
  const put = (requestId: string, at: string) => putUsageRow(base.store, { requestId, at: new Date(at), userId: 'u', cost: 1n })
  const left = async () => (await pageLogs(base.store, { limit: 9 })).rows.map((row) => row.requestId)
  const sum = async () => {
    const whole = { from: new Date('2026-01-01'), to: new Date('2026-12-31'), by: [], timezone: 'UTC', filter: {}, limit: 1 }
    return (await addUpUsage(base.store, whole))[0]?.cost
  }
  await put('january', '2026-01-31T23:59:59Z')
  await put('february', '2026-02-28T23:59:59Z')
  await put('march', '2026-03-20T12:29:00Z')
  await addUp()
  await turnMonths()
  expect(await left()).toEqual(['march', 'february', 'january'])
  keep = 1
  await turnMonths()
  expect(await left()).toEqual(['march', 'february'])
  await clock.advance(11 * day)
  await turnMonths()
  expect(await left()).toEqual(['march', 'february'])
  await clock.advance(day)
  await turnMonths()
  expect(await left()).toEqual(['march'])
  await put('late', '2026-02-01T00:00:00Z')
  expect(await sum()).toBe(4n)
  await addUp()
  expect(await left()).toEqual(['march'])
  expect(await sum()).toBe(4n)
}, 60_000)
