/**
 * Very many usage rows on PostgreSQL: what is asked of them may not depend on how many there are. A million in a deep run, a fifth of them
 * otherwise. `bench/usage.ts` asks more.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import { returned } from '#store/engine/rows'
import type { Db } from '#store/engine/store'
import { engines, type Throwaway, throwawayDatabase } from '#testing/database/database'
import { putManyUsageRows } from '#testing/database/many-usage-rows'
import { isDeep } from '#testing/sample'
import { insertLog, usageRow } from '#testing/usage-row'
import { summarizeFilters } from './log-scan.ts'
import { findLog, type LogsAsked, pageLogs } from './logs.ts'
import { addUpUsage } from './usage.ts'
import { addUpHours } from './usage-hours.ts'
import type { UsageQuestion } from './usage-question.ts'

const until = new Date('2026-03-01T00:00:00Z')
const count = isDeep ? 1_000_000 : 100_000
/** What is promised; the slowest is printed. */
const promisedMs = 1000

/** How many usage rows the transaction has fetched so far, whatever it then did with them. */
async function rowsRead(tx: Db): Promise<number> {
  const [row] = returned<{ n: string }>(
    await tx.execute(sql`
      select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::text as n from pg_stat_xact_user_tables
      where relid in (select relid from pg_partition_tree('logs') where isleaf)`),
  )
  return Number(row?.n)
}

describe.each(engines.filter((engine) => engine === 'postgres'))('very many usage rows on %s', (engine) => {
  let base: Throwaway
  let slowest = 0
  beforeAll(async () => {
    base = await throwawayDatabase(engine)
    await putManyUsageRows(base.databaseUrl ?? '', count, until)
    const old = new Date('2025-10-05T00:00:00Z')
    for (const n of [0, 1, 2])
      await insertLog(
        base.store,
        usageRow({ requestId: `old${n}`, at: old, model: 'old', upstreamModel: 'upstream-old', group: `group${n}` }),
      )
    await summarizeFilters(base.store)
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

  /** Filters that have no index in the order of time, with values that no row has, few have, or only old ones. */
  const asked: [name: string, question: Pick<LogsAsked, 'filter' | 'conditions'>, found: number][] = [
    ['a group', { filter: { group: 'none' } }, 0],
    ['a model', { filter: { model: 'none' } }, 0],
    ['a rare model', { filter: { model: 'rare' } }, 51],
    ['a model of long ago', { filter: { model: 'old' } }, 3],
    ['a channel', { filter: { channel: 'none' } }, 0],
    ['a model and a group', { filter: { model: 'old', group: 'group0' } }, 1],
    ['a status', { conditions: { status: 418 } }, 0],
    ['failures', { conditions: { failed: true } }, 51],
    ['failures of a channel', { filter: { channel: 'none' }, conditions: { failed: true } }, 0],
    ['an end', { conditions: { end: 'cut' } }, 0],
    ['an error', { conditions: { error: 'none' } }, 0],
    ['words of an error', { conditions: { errorText: 'no such words' } }, 0],
    ['losses', { conditions: { losses: true } }, 0],
    ['a cost', { conditions: { minCost: 10n ** 15n } }, 0],
    ['a time', { conditions: { minMs: 10 ** 9 } }, 0],
    ['a model that answered', { conditions: { upstreamModel: 'none' } }, 0],
    ['a model that answered long ago', { conditions: { upstreamModel: 'upstream-old' } }, 3],
    ['no stream', { conditions: { stream: false } }, 3],
  ]
  test.each(asked)('%s is found without reading everything', async (_, question, found) => {
    const read = await base.store.db.transaction(async (tx) => {
      const before = await rowsRead(tx)
      const { rows } = await timed(() => pageLogs({ ...base.store, db: tx }, { ...question, limit: 51 }))
      expect(rows).toHaveLength(found)
      return (await rowsRead(tx)) - before
    })
    // The newest rows are read one by one, which for months as small as these is as much as two of them.
    expect(read).toBeLessThan(0.5 * count)
  })

  test('a request is found without reading everything, and so are rows that came last', async () => {
    await insertLog(base.store, usageRow({ requestId: 'the last', at: new Date(until.getTime() - 1), model: 'new' }))
    await summarizeFilters(base.store)
    await base.store.db.transaction(async (tx) => {
      const before = await rowsRead(tx)
      expect((await findLog({ ...base.store, db: tx }, 'the last'))?.model).toBe('new')
      expect((await rowsRead(tx)) - before).toBeLessThan(0.2 * count)
    })
  })

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
