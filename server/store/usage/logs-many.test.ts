/**
 * Very many usage rows on PostgreSQL: what is asked of them may not depend on how many there are. A million in a deep run, a fifth of them
 * otherwise. `bench/usage.ts` asks more.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import { engines, type Throwaway, throwawayDatabase } from '#testing/database/database'
import { putManyUsageRows } from '#testing/database/many-usage-rows'
import { isDeep } from '#testing/sample'
import { findLog, pageLogs } from './logs.ts'
import { addUpUsage, type UsageQuestion } from './usage.ts'
import { addUpHours } from './usage-hours.ts'

const until = new Date('2026-03-01T00:00:00Z')
const count = isDeep ? 1_000_000 : 100_000
/** What is promised; the slowest is printed. */
const promisedMs = 1000

describe.each(engines.filter((engine) => engine === 'postgres'))('very many usage rows on %s', (engine) => {
  let base: Throwaway
  let slowest = 0
  beforeAll(async () => {
    base = await throwawayDatabase(engine)
    await putManyUsageRows(base.databaseUrl ?? '', count, until)
  }, 120_000)
  afterAll(async () => {
    console.log(`The slowest question to ${count} usage rows took ${slowest.toFixed(1)} ms.`)
    await base?.close()
  })

  async function timed<T>(work: () => Promise<T>): Promise<T> {
    const begun = performance.now()
    const value = await work()
    const ms = performance.now() - begun
    slowest = Math.max(slowest, ms)
    expect(ms).toBeLessThan(20 * promisedMs)
    return value
  }

  test('pages and one row are quick, filtered or not, found or not', async () => {
    const page = (filter: Record<string, string>, more = {}) => timed(() => pageLogs(base.store, { filter, limit: 50, ...more }))
    const first = await page({})
    expect(first.rows).toHaveLength(50)
    expect((await page({}, { after: first.next })).rows[0]?.requestId).not.toBe(first.rows[49]?.requestId)
    expect((await page({ user: 'user7' })).rows).toHaveLength(50)
    expect((await page({ model: 'rare' })).rows).toHaveLength(50)
    expect((await page({ model: 'rare', user: 'user0' }, { to: new Date('2025-10-01') })).rows.length).toBeGreaterThan(0)
    for (const filter of [{ model: 'none' }, { key: 'none' }, { group: 'none' }, { channel: 'none' }]) {
      expect((await page(filter)).rows).toEqual([])
    }
    const one = first.rows[9]?.requestId ?? ''
    expect((await timed(() => findLog(base.store, one)))?.requestId).toBe(one)
  }, 30_000)

  test('a week adds up quickly from its sums, to the same', async () => {
    const from = new Date('2026-02-22T00:00:00Z')
    const question: UsageQuestion = { from, to: until, by: ['model', 'day'], timezone: 'UTC', filter: {}, limit: 200 }
    const before = await addUpUsage(base.store, question)
    expect(before.reduce((sum, { figures }) => sum + figures.requests, 0)).toBeGreaterThan(0.038 * count)
    // The hours before are not asked for.
    await base.store.db.execute(sql`delete from usage_marks where hour < '2026-02-22T00:00:00Z'`)
    while ((await addUpHours(base.store, until)) > 0);
    expect(await timed(() => addUpUsage(base.store, question))).toEqual(before)
  }, 120_000)
})
